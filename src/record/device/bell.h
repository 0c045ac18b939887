// SPDX-License-Identifier: MIT
// A futex in memory that two processes share: one waits without taking any time of a processor, the other wakes it.
#pragma once

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>
#include <ctime>
#include <linux/futex.h>
#include <optional>
#include <sys/syscall.h>
#include <unistd.h>

namespace aaco {

inline void ring_bell(std::atomic<uint32_t>& bell) {
  bell.fetch_add(1, std::memory_order_acq_rel);
  static_cast<void>(::syscall(SYS_futex, &bell, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0));  // nobody may wait
}

// `heard`: the bell's value before one looked at what it tells of. Returns when it was rung since, after `most`, or for
// no reason.
inline void wait_for_bell(const std::atomic<uint32_t>& bell, uint32_t heard,
                          std::optional<std::chrono::milliseconds> most) {
  timespec time{};
  if (most) {
    time = {most->count() / 1000, most->count() % 1000 * 1'000'000};
  }
  static_cast<void>(
      ::syscall(SYS_futex, &bell, FUTEX_WAIT, heard, most ? &time : nullptr, nullptr, 0));  // all the same
}

}  // namespace aaco
