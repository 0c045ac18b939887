// SPDX-License-Identifier: MIT
// Times are of the host's monotonic clock.
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <thread>

#include "base/clock.h"
#include "device/ops/op_work.h"

namespace aaco {

namespace {

// Keeps the best of what is there and `value`.
template <class Better>
void keep(uint64_t& place, uint64_t value, Better&& better) {
  const std::atomic_ref<uint64_t> kept(place);
  uint64_t seen = kept.load(std::memory_order_relaxed);
  while (better(value, seen) && !kept.compare_exchange_weak(seen, value)) {
  }
}

void add(uint64_t& place, uint64_t value) { std::atomic_ref<uint64_t>(place).fetch_add(value); }

// Held by the spin that fills the device: no two of them run at once, as on a GPU.
std::mutex& whole_device() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace

void run_on_cpu(const SpinArgs& args) {
  std::unique_lock whole(whole_device(), std::defer_lock);
  if (args.blocks == 0) {
    whole.lock();
  }
  const int64_t start_ns = monotonic_ns();
  int64_t now_ns = start_ns;
  while (now_ns - start_ns < args.duration_ns) {
    now_ns = monotonic_ns();
  }
  if (args.stamp != nullptr) {
    keep(args.stamp->start_ns, static_cast<uint64_t>(start_ns), std::less<>());
    keep(args.stamp->end_ns, static_cast<uint64_t>(now_ns), std::greater<>());
    add(args.stamp->start_sum_ns, static_cast<uint64_t>(start_ns));
    add(args.stamp->end_sum_ns, static_cast<uint64_t>(now_ns));
    add(args.stamp->blocks, 1);
  }
}

void run_on_cpu(const GateArgs& args) {
  // The host writes the flag as it is; this side reads it whole. A cast, as atomic_ref takes no const before C++26.
  const std::atomic_ref<uint32_t> flag(const_cast<uint32_t&>(*args.flag));
  const int64_t until_ns = monotonic_ns() + args.timeout_ns;
  while (flag.load(std::memory_order_acquire) < args.value) {
    if (monotonic_ns() >= until_ns) {
      if (args.timed_out != nullptr) {
        *args.timed_out = 1;
      }
      return;
    }
    // The processor belongs to whoever opens the gate.
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

void run_on_cpu(const NullArgs& /*args*/) {}

}  // namespace aaco
