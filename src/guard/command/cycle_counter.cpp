// SPDX-License-Identifier: MIT
#include "guard/command/cycle_counter.h"

#include <array>
#include <cstdint>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace aaco {

CycleCounter::CycleCounter(pid_t process) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = PERF_COUNT_HW_CPU_CYCLES;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  attributes.disabled = 1;
  attributes.enable_on_exec = 1;
  attributes.inherit = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  descriptor_ = static_cast<int>(::syscall(SYS_perf_event_open, &attributes, process, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

CycleCounter::~CycleCounter() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

std::optional<double> CycleCounter::cycles() const {
  std::array<uint64_t, 3> read{};  // count, time enabled, time running
  if (descriptor_ < 0 || ::read(descriptor_, read.data(), sizeof read) != static_cast<ssize_t>(sizeof read)) {
    return std::nullopt;
  }
  const auto [count, enabled, running] = read;
  return count > 0 && running == enabled ? std::optional(static_cast<double>(count)) : std::nullopt;
}

}  // namespace aaco
