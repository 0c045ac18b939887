// SPDX-License-Identifier: MIT
// A span in which a thread of the observed processes did not run: from the switch that took its processor to the switch
// that gave one back. Where a source does not tell something, it is null.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "record/table.h"

namespace aaco {

// Why a thread left its processor, as its state at that moment tells. A preempted thread could have run on.
enum class OffCpuReason : uint8_t { kUnknown, kPreempted, kSleep, kDisk, kStopped, kParked, kExit };
template <>
inline constexpr EnumWords<OffCpuReason, 7> kWordsOf<OffCpuReason>{
    {"", "preempted", "sleep", "uninterruptible", "stopped", "parked", "exit"}};

struct OffCpuRow {
  int64_t process_id = 0;  // of the system, as the first namespace numbers it
  int64_t thread_id = 0;
  std::string thread_name;
  int64_t t_start_ns = 0;
  int64_t t_end_ns = 0;
  OffCpuReason reason = OffCpuReason::kUnknown;
  std::optional<int64_t> run_queue_ns;  // of the span, how long it could have run and waited for a processor
  std::optional<int64_t> cpu_before;
  std::optional<int64_t> cpu_after;
  std::optional<int64_t> next_thread_id;  // who ran instead; 0 is the idle processor
  std::optional<std::string> next_name;
  std::optional<int64_t> waker_thread_id;
  std::optional<std::string> waker_name;
  std::optional<int64_t> stack;  // of StackRow: where it waited
  std::optional<int64_t> waker_stack;
};

template <>
struct RowSchema<OffCpuRow> {
  static constexpr const char* kName = "off_cpu";
  static constexpr const char* kMeaning = "spans in which a thread did not run, one row per span";
  template <class R = OffCpuRow>
  static auto columns() {
    return std::tuple{
        row_column("process_id", &R::process_id, "1", "process, as the system numbers it"),
        row_column("thread_id", &R::thread_id, "1", "thread, likewise"),
        row_column("thread_name", &R::thread_name, "", "its name, up to 15 characters"),
        row_column("t_start_ns", &R::t_start_ns, "ns", "when it left its processor, session time"),
        row_column("t_end_ns", &R::t_end_ns, "ns", "when it got one again"),
        row_column("reason", &R::reason, "",
                   "preempted (it could have run on), sleep, uninterruptible, stopped, parked, exit"),
        row_column("run_queue_ns", &R::run_queue_ns, "ns",
                   "of the span, time in which it could run and waited for a processor; null where its wakeup was "
                   "not seen"),
        row_column("cpu_before", &R::cpu_before, "1", "processor that it left"),
        row_column("cpu_after", &R::cpu_after, "1", "processor that it got; another: it migrated"),
        row_column("next_thread_id", &R::next_thread_id, "1", "thread that ran instead; 0: the processor idled"),
        row_column("next_name", &R::next_name, "", "name of that thread"),
        row_column("waker_thread_id", &R::waker_thread_id, "1", "thread that woke it; 0: an interrupt or the kernel"),
        row_column("waker_name", &R::waker_name, "", "name of that thread"),
        row_column("stack", &R::stack, "1", "row of stacks: where it waited"),
        row_column("waker_stack", &R::waker_stack, "1", "row of stacks: where its waker was")};
  }
};

}  // namespace aaco
