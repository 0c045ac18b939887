// SPDX-License-Identifier: MIT
#include "observe/kernel/source/thread_states.h"

#include <array>

namespace aaco {

OffCpuReason reason_of_state(uint32_t state) {
  constexpr uint32_t kInterruptible = 0x1, kUninterruptible = 0x2, kStopped = 0x4, kTraced = 0x8, kDead = 0x10,
                     kZombie = 0x20, kParked = 0x40, kGone = 0x80, kNoLoad = 0x400, kWaitsForLock = 0x1000,
                     kFrozen = 0x8000;
  if ((state & (kDead | kZombie | kGone)) != 0) {
    return OffCpuReason::kExit;
  }
  if ((state & (kStopped | kTraced | kFrozen)) != 0) {
    return OffCpuReason::kStopped;
  }
  if ((state & kParked) != 0) {
    return OffCpuReason::kParked;
  }
  if ((state & (kUninterruptible | kWaitsForLock)) != 0) {
    // A thread that adds nothing to the load is idle, and so asleep.
    return (state & kNoLoad) != 0 ? OffCpuReason::kSleep : OffCpuReason::kDisk;
  }
  return (state & kInterruptible) != 0 ? OffCpuReason::kSleep : OffCpuReason::kUnknown;
}

std::string soft_interrupt_name(int64_t number) {
  constexpr std::array kNames{"high", "timer",   "net_tx", "net_rx",  "block",
                              "poll", "tasklet", "sched",  "hrtimer", "rcu"};
  return number >= 0 && number < static_cast<int64_t>(kNames.size()) ? kNames[static_cast<size_t>(number)]
                                                                     : std::to_string(number);
}

}  // namespace aaco
