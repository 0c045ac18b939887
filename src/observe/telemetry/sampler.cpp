// SPDX-License-Identifier: MIT
#include "observe/telemetry/sampler.h"

#include <cerrno>
#include <csignal>
#include <ctime>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
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

Sampler::Sampler(std::shared_ptr<Collector> collector, int64_t period_ns)
    : collector_(std::move(collector)), wake_fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  cost_.period_ns = period_ns;
  recent_ns_.reserve(kRecentSamples);
  // Signals are for the main thread: a Ctrl-C handled here would not interrupt what that one waits for.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Sampler::~Sampler() {
  stop();
  ::close(wake_fd_);
}

SamplerCost Sampler::stop() {
  if (thread_.joinable()) {
    const uint64_t one = 1;
    // An eventfd that was just made takes one.
    [[maybe_unused]] const ssize_t put = ::write(wake_fd_, &one, sizeof one);
    thread_.join();
    cost_.median_ns = median(recent_ns_);
  }
  return cost_;
}

bool Sampler::wait_until(int64_t deadline_ns) const {
  for (;;) {
    const int64_t left = deadline_ns - monotonic_ns();
    const int64_t wait = left > 0 ? left : 0;
    const timespec timeout{wait / kSecondNs, wait % kSecondNs};
    pollfd wake{wake_fd_, POLLIN, 0};
    const int ready = ::ppoll(&wake, 1, &timeout, nullptr);
    if (ready > 0) {
      return false;
    }
    if (left <= 0) {
      return true;
    }
  }
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
