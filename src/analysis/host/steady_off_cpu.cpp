// SPDX-License-Identifier: MIT
#include "analysis/host/steady_off_cpu.h"

#include <algorithm>

#include "analysis/host/measured_process.h"

namespace aaco {

std::optional<SteadyOffCpu> steady_off_cpu(const CollectedRows& rows, const ProcessFacts& process) {
  SteadyOffCpu sum;
  bool tells = false;
  const auto within = [&](int64_t start_ns, int64_t end_ns) {
    return std::max<int64_t>(0, std::min(end_ns, process.t_end_ns) - std::max(start_ns, process.t_start_ns));
  };
  for (const OffCpuRow& row : rows.rows<OffCpuRow>()) {
    if (row.process_id != process.pid || process.pid <= 0 || !is_span(row.t_start_ns, row.t_end_ns)) {
      continue;
    }
    const bool preempted = row.reason == OffCpuReason::kPreempted;
    tells = tells || preempted || row.run_queue_ns.has_value();
    const int64_t runnable_from_ns =
        preempted ? row.t_start_ns : std::max(row.t_start_ns, row.t_end_ns - row.run_queue_ns.value_or(0));
    sum.run_queue_ns = saturating_sum(sum.run_queue_ns, within(runnable_from_ns, row.t_end_ns));
    if (row.thread_id == process.pid) {
      sum.blocked_ns = saturating_sum(sum.blocked_ns, within(row.t_start_ns, runnable_from_ns));
    }
  }
  return tells ? std::optional(sum) : std::nullopt;
}

}  // namespace aaco
