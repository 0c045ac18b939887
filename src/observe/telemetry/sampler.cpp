// SPDX-License-Identifier: MIT
#include "observe/telemetry/sampler.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <pthread.h>
#include <utility>

#include "base/clock.h"
#include "base/process/thread_start.h"
#include "base/statistics.h"

namespace aaco {

namespace {

constexpr size_t kRecentSamples = 4096;
constexpr int64_t kSecondNs = 1'000'000'000;

int64_t thread_cpu_ns() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return int64_t{used.tv_sec} * kSecondNs + used.tv_nsec;
}

}  // namespace

Sampler::Sampler(std::shared_ptr<Collector> collector, int64_t period_ns) : collector_(std::move(collector)) {
  cost_.period_ns = period_ns;
  recent_ns_.reserve(kRecentSamples);
}

Result<std::unique_ptr<Sampler>> Sampler::start(std::shared_ptr<Collector> collector, int64_t period_ns) {
  std::unique_ptr<Sampler> sampler(new Sampler(std::move(collector), period_ns));
  AACO_ASSIGN(sampler->thread_, start_thread([&self = *sampler] { self.run(); }));
  return sampler;
}

Sampler::~Sampler() { stop(); }

SamplerCost Sampler::stop() {
  if (thread_.joinable()) {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    wake_.notify_all();
    thread_.join();
    cost_.median_ns = median(recent_ns_);
  }
  return cost_;
}

// On a condition, not on a file: there may be no more descriptors, and a thread that cannot be woken never ends.
bool Sampler::wait_until(int64_t deadline_ns) {
  std::unique_lock lock(mutex_);
  const auto left = std::chrono::nanoseconds(std::max<int64_t>(0, deadline_ns - monotonic_ns()));
  return !wake_.wait_for(lock, left, [this] { return stopped_; });
}

void Sampler::run() {
  pthread_setname_np(pthread_self(), "aaco-telemetry");
  int64_t deadline = monotonic_ns();
  while (wait_until(deadline)) {
    const int64_t start = monotonic_ns();
    collector_->sample();
    const int64_t end = monotonic_ns();
    const auto slot = static_cast<size_t>(cost_.samples) % kRecentSamples;
    if (slot == recent_ns_.size()) {
      recent_ns_.push_back(0);
    }
    recent_ns_[slot] = static_cast<double>(end - start);
    ++cost_.samples;
    const int64_t passed = (end - deadline) / cost_.period_ns;
    cost_.missed_periods += passed;
    deadline += (passed + 1) * cost_.period_ns;
  }
  cost_.cpu_time_ns = thread_cpu_ns();
}

}  // namespace aaco
