// SPDX-License-Identifier: MIT
#include "analysis/host/off_cpu_means.h"

#include "analysis/host/host_iteration.h"
#include "analysis/host/measured_process.h"

namespace aaco {

std::optional<OffCpuMeans> off_cpu_means(const Recording& recording) {
  int64_t iterations = 0;
  for (const MeasuredProcess& process : measured_processes(recording)) {
    for (const IterationRow* iteration : process.iterations) {
      iterations += is_measured_phase(iteration->phase) ? 1 : 0;
    }
  }
  if (iterations == 0 || recording.collected.rows<OffCpuRow>().empty()) {
    return std::nullopt;
  }
  OffCpuMeans means;
  const auto add = [&](double& mean, const std::optional<int64_t>& ns) {
    mean += static_cast<double>(ns.value_or(0)) / static_cast<double>(iterations);
  };
  for (const HostIterationRow& row : host_iterations(recording)) {
    if (!is_measured_phase(row.phase)) {
      continue;
    }
    add(means.preempted_ns, row.preempted_ns);
    add(means.sleep_ns, row.sleep_ns);
    add(means.uninterruptible_ns, row.uninterruptible_ns);
    add(means.other_ns, row.other_ns);
    if (row.run_queue_ns) {
      add(means.run_queue_ns.emplace(means.run_queue_ns.value_or(0)), row.run_queue_ns);
    }
  }
  return means;
}

}  // namespace aaco
