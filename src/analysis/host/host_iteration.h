// SPDX-License-Identifier: MIT
// What the kernel did with each thread in each iteration of a run: one row per thread that ran in it and was kept from
// running, moved or interrupted. Times are those of the spans within the iteration.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/recording.h"
#include "record/table.h"

namespace aaco {

struct HostIterationRow {
  int64_t process = 0;
  int64_t iter_idx = 0;
  IterationPhase phase = IterationPhase::kUnknown;
  int64_t thread_id = 0;
  std::string thread_name;
  std::optional<int64_t> off_cpu_ns;
  std::optional<int64_t> preempted_ns;
  std::optional<int64_t> sleep_ns;
  std::optional<int64_t> uninterruptible_ns;
  std::optional<int64_t> other_ns;
  std::optional<int64_t> run_queue_ns;
  std::optional<int64_t> preemptions;
  std::optional<std::string> preempted_by;
  std::optional<int64_t> migrations;
  std::optional<int64_t> page_faults;
  std::optional<int64_t> interrupts;
  std::optional<int64_t> interrupt_ns;
};

template <>
struct RowSchema<HostIterationRow> {
  static constexpr const char* kName = "host_iterations";
  static constexpr const char* kMeaning =
      "what the kernel did with a thread in an iteration, one row per thread that ran in it and was kept from running, "
      "moved or interrupted";
  template <class R = HostIterationRow>
  static auto columns() {
    return std::tuple{
        row_column("process", &R::process, "1", "index of the process that ran the iteration"),
        row_column("iter_idx", &R::iter_idx, "1", "its index, as in inference_iters"),
        row_column("phase", &R::phase, "", "its phase"),
        row_column("thread_id", &R::thread_id, "1", "thread, as the system numbers it"),
        row_column("thread_name", &R::thread_name, "", "its name; empty where no span of off_cpu tells"),
        row_column("off_cpu_ns", &R::off_cpu_ns, "ns",
                   "time off a processor; the four below add up to it; null where the session has no off_cpu"),
        row_column("preempted_ns", &R::preempted_ns, "ns", "of it, after a switch that it did not want"),
        row_column("sleep_ns", &R::sleep_ns, "ns", "of it, in a wait that a signal ends"),
        row_column("uninterruptible_ns", &R::uninterruptible_ns, "ns", "of it, in one that none ends: mostly storage"),
        row_column("other_ns", &R::other_ns, "ns", "of it, stopped, parked, or for a reason that is not told"),
        row_column("run_queue_ns", &R::run_queue_ns, "ns",
                   "of off_cpu_ns, when it could run and waited for a processor, preempted or woken; of spans whose "
                   "wakeup was seen, null where of none"),
        row_column("preemptions", &R::preemptions, "1", "preemptions that began in the iteration"),
        row_column("preempted_by", &R::preempted_by, "", "name of the thread that ran instead for the longest time"),
        row_column("migrations", &R::migrations, "1",
                   "how often it came back on another processor; null where off_cpu does not tell processors"),
        row_column("page_faults", &R::page_faults, "1", "null where the session has no such event"),
        row_column("interrupts", &R::interrupts, "1", "interrupts and soft interrupts that stopped it; null likewise"),
        row_column("interrupt_ns", &R::interrupt_ns, "ns", "time of these")};
  }
};

// By process, iteration and thread. A thread that was off a processor for all of an iteration took no part in it and
// has no row.
std::vector<HostIterationRow> host_iterations(const Recording& recording);

}  // namespace aaco
