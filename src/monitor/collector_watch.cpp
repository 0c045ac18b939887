// SPDX-License-Identifier: MIT
#include "monitor/collector_watch.h"

#include <algorithm>
#include <chrono>
#include <pthread.h>
#include <utility>

#include "base/clock.h"
#include "base/process/thread_start.h"

namespace aaco {

namespace {

constexpr int64_t kLeastStallNs = 5'000'000'000;
constexpr int64_t kStallIntervals = 3;

std::chrono::nanoseconds until(int64_t deadline_ns) {
  return std::chrono::nanoseconds(std::max<int64_t>(0, deadline_ns - monotonic_ns()));
}

}  // namespace

CollectorWatch::CollectorWatch(const CollectorInfo& info, CollectorOptions options, int64_t interval_ns,
                               Listener listener)
    : keeper_(info, std::move(options), interval_ns), interval_ns_(interval_ns), listener_(std::move(listener)) {
  latest_ = keeper_.reading();
  stepped_ns_ = monotonic_ns();
}

Result<std::unique_ptr<CollectorWatch>> CollectorWatch::start(const CollectorInfo& info, CollectorOptions options,
                                                              int64_t interval_ns, Listener listener) {
  std::unique_ptr<CollectorWatch> watch(new CollectorWatch(info, std::move(options), interval_ns, std::move(listener)));
  AACO_ASSIGN(watch->thread_, start_thread([&self = *watch] { self.run(); }));
  return watch;
}

CollectorWatch::~CollectorWatch() { stop(); }

void CollectorWatch::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) {
    thread_.join();
  }
}

void CollectorWatch::run() {
  pthread_setname_np(pthread_self(), "aaco-monitor");
  int64_t due_ns = monotonic_ns();
  while (true) {
    const int64_t samples_before = keeper_.reading().samples;
    keeper_.step(monotonic_ns());
    if (listener_ && keeper_.reading().samples > samples_before) {
      listener_(keeper_.reading());
    }
    std::unique_lock lock(mutex_);
    latest_ = keeper_.reading();
    stepped_ns_ = monotonic_ns();
    ++steps_;
    changed_.notify_all();
    due_ns += (std::max<int64_t>(0, stepped_ns_ - due_ns) / interval_ns_ + 1) * interval_ns_;
    if (changed_.wait_for(lock, until(due_ns), [this] { return stopped_; })) {
      return;
    }
  }
}

bool CollectorWatch::wait_for_steps(int64_t steps, int64_t deadline_ns) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, until(deadline_ns), [&] { return steps_ >= steps; });
}

CollectorReading CollectorWatch::reading(int64_t now_ns) const {
  const std::lock_guard lock(mutex_);
  CollectorReading reading = latest_;
  if (now_ns - stepped_ns_ > std::max(kLeastStallNs, kStallIntervals * interval_ns_)) {
    reading.state = CollectorState::kStalled;
    reading.why = "a sample has not ended for " + std::to_string((now_ns - stepped_ns_) / 1'000'000'000) + " s";
    reading.remedy = "the driver does not answer; see the kernel's messages (dmesg)";
    reading.rows = {};
  }
  return reading;
}

}  // namespace aaco
