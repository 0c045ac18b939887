// SPDX-License-Identifier: MIT
#include "kind/queue_run/analysis/run_figures.h"

#include <algorithm>
#include <functional>
#include <map>

#include "analysis/bundle_json.h"
#include "analysis/model_run/latency.h"

namespace aaco {

std::optional<double> units_per_s(const QueueProcess& process) {
  if (process.wall_ns <= 0 || process.units_per_iteration <= 0) {
    return std::nullopt;
  }
  return process.units_per_iteration * static_cast<double>(process.iterations) /
         (static_cast<double>(process.wall_ns) / 1e9);
}

namespace {

std::optional<Estimate> over(const std::vector<QueueProcess>& processes,
                             const std::function<std::optional<double>(const QueueProcess&)>& value) {
  std::vector<double> values;
  for (const QueueProcess& process : processes) {
    const std::optional<double> one =
        process.iterations > 0 && process.wall_ns > 0 ? value(process) : std::optional<double>();
    if (one && *one > 0) {
      values.push_back(*one);
    }
  }
  return estimate_over_processes(values);
}

std::optional<LatencySummary> latency_of(const std::vector<IterationRow>& iterations) {
  std::map<int64_t, std::vector<double>> by_process;
  for (const IterationRow& row : iterations) {
    if (row.phase == IterationPhase::kMeasure && row.t_end_ns > row.t_start_ns) {
      by_process[row.process].push_back(static_cast<double>(row.t_end_ns - row.t_start_ns));
    }
  }
  return by_process.empty() ? std::nullopt : std::optional(summarize_latency(IterationPhase::kMeasure, by_process));
}

}  // namespace

QueueFigures queue_figures(const QueueWork& work, const std::vector<QueueProcess>& processes,
                           const std::vector<IterationRow>& iterations, bool waits) {
  QueueFigures figures;
  figures.latency = latency_of(iterations);
  figures.dispatch_ns = over(processes, [](const QueueProcess& process) { return process.dispatch_p50_ns; });
  for (const QueueProcess& process : processes) {
    figures.peak_bytes = std::max(figures.peak_bytes, process.peak_bytes);
    figures.allocated_bytes = std::max(figures.allocated_bytes, process.allocated_bytes);
    if (process.reserved_bytes) {
      figures.reserved_bytes = std::max(figures.reserved_bytes.value_or(0), *process.reserved_bytes);
    }
  }
  if (!waits) {
    figures.throughput_unavailable = "nothing that is timed waits for the device (--sync-mode none)";
    return figures;
  }
  const auto per_s = [](const QueueProcess& process, double amount) {
    return amount * static_cast<double>(process.iterations) / (static_cast<double>(process.wall_ns) / 1e9);
  };
  figures.iteration_ns = over(processes, [](const QueueProcess& process) {
    return static_cast<double>(process.wall_ns) / static_cast<double>(process.iterations);
  });
  figures.units_per_s = over(processes, [](const QueueProcess& p) { return units_per_s(p).value_or(0); });
  if (!figures.units_per_s) {
    const bool any = std::any_of(processes.begin(), processes.end(),
                                 [](const QueueProcess& process) { return process.iterations > 0; });
    figures.throughput_unavailable = any ? "no unit: an iteration with these parameters makes 0 " + work.unit
                                         : std::string("no iteration was measured");
  }
  figures.operations_per_s =
      over(processes, [&](const QueueProcess& p) { return per_s(p, static_cast<double>(work.kernels)); });
  figures.flops_per_s = over(processes, [&](const QueueProcess& p) { return per_s(p, work.flops); });
  if (work.used_streams > 0) {
    figures.units_per_s_per_stream = over(processes, [&](const QueueProcess& p) {
      return units_per_s(p).value_or(0) / static_cast<double>(work.used_streams);
    });
  }
  return figures;
}

}  // namespace aaco
