// SPDX-License-Identifier: MIT
// What may slow an iteration, each with the times at which it was so: threads kept off a processor, faults, interrupts,
// storage, and states of the machine that samples tell.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/host/measured_process.h"
#include "base/text/enum_words.h"
#include "record/intervals.h"
#include "record/recording.h"

namespace aaco {

enum class HostCauseKind : uint8_t {
  kUnknown,
  kPreempted,       // a thread of the process could have run, and `name` ran instead
  kRunQueue,        // a thread of it was woken and waited for a processor
  kWait,            // its measuring thread waited in `name`
  kPageFault,       // a thread of it
  kInterrupt,       // that stopped a thread of it
  kSoftInterrupt,   // likewise
  kBlockIo,         // storage worked for it
  kProcessorClock,  // from here on samples: the state held, not how much time it took
  kDeviceThrottle,
  kDeviceClock,
  kCpuPressure,
  kMemoryPressure,
  kIoPressure,
};
template <>
inline constexpr EnumWords<HostCauseKind, 14> kWordsOf<HostCauseKind>{
    {"", "preempted", "run_queue", "wait", "page_fault", "interrupt", "soft_interrupt", "block_io", "processor_clock",
     "device_throttle", "device_clock", "cpu_pressure", "memory_pressure", "io_pressure"}};

// True for a state that a sample tells of its whole interval.
constexpr bool is_sampled(HostCauseKind kind) { return kind >= HostCauseKind::kProcessorClock; }

struct CauseTimes {
  SpanSet spans;                   // in which it was so for any thread of the process
  std::vector<int64_t> starts_ns;  // of each event, ascending
};

struct HostCause {
  HostCauseKind kind = HostCauseKind::kUnknown;
  std::string name;
  std::map<int64_t, CauseTimes> by_process;  // index of the process

  // Only moments are known of it: it is counted.
  bool has_no_time() const;
};

// A clock this far below its highest of the session counts as dropped, a pressure of this many percent as one.
inline constexpr double kClockDrop = 0.1;
inline constexpr double kPressurePercent = 10;

inline constexpr size_t kMostCauses = 64;  // tested at once: more would need more shifts to tell one from chance

struct HostCauses {
  std::vector<HostCause> causes;  // the longest first
  size_t left_out = 0;            // beyond kMostCauses
};

HostCauses host_causes(const Recording& recording, const std::vector<MeasuredProcess>& processes);

// "preempted by hog", "waited for a processor", "waited in lock (futex_wait)", ...
std::string cause_text(HostCauseKind kind, const std::string& name);

}  // namespace aaco
