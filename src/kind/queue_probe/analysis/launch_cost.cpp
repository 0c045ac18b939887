// SPDX-License-Identifier: MIT
#include "kind/queue_probe/analysis/launch_cost.h"

#include <algorithm>

namespace aaco {

namespace {

// A call takes no time below zero, whatever Student's t makes of few processes.
MetricValue not_below_zero(MetricValue figure) {
  if (figure.interval) {
    figure.interval->low = std::max(figure.interval->low, 0.0);
  }
  return figure;
}

}  // namespace

std::vector<LaunchCost> launch_costs(std::span<const std::vector<LaunchSample>> processes) {
  std::vector<LaunchCost> costs;
  if (processes.empty()) {
    return costs;
  }
  for (const LaunchSample& way : processes[0]) {
    LaunchCost cost;
    cost.threads = way.threads;
    cost.synchronised = way.synchronised;
    std::vector<std::vector<double>> calls;
    std::vector<double> per_kernel;
    for (const std::vector<LaunchSample>& samples : processes) {
      const auto same = std::find_if(samples.begin(), samples.end(), [&](const LaunchSample& sample) {
        return sample.threads == way.threads && sample.synchronised == way.synchronised;
      });
      if (same == samples.end()) {
        continue;
      }
      calls.push_back(same->call_ns);
      if (const auto middle = median(same->per_kernel_ns)) {
        per_kernel.push_back(*middle);
      }
    }
    cost.calls_ns = signed_distribution(calls);
    const bool waits = way.synchronised;
    cost.call_p50 = not_below_zero(
        figure_over_processes(waits ? "launch_sync_p50" : "launch_call_p50", cost.calls_ns.process_medians));
    cost.call_p99 = not_below_zero(tail_figure(waits ? "launch_sync_p99" : "launch_call_p99", cost.calls_ns));
    cost.per_kernel =
        not_below_zero(figure_over_processes(waits ? "launch_sync_per_kernel" : "launch_per_kernel", per_kernel));
    costs.push_back(std::move(cost));
  }
  return costs;
}

}  // namespace aaco
