// SPDX-License-Identifier: MIT
#include "kind/queue_run/timeline/workload_timeline.h"

namespace aaco {

namespace {

Fairness of_different_work() {
  constexpr const char* kWhy = "its streams are given different work";
  Fairness result;
  result.jain = no_data("fairness_jain", kWhy);
  result.max_over_min = no_data("fairness_max_over_min", kWhy);
  return result;
}

}  // namespace

WorkloadTimeline workload_timeline(std::span<const ActivityRun> processes, bool same_work) {
  return {workload_switches(processes), launch_delay(processes), same_stream_gap(processes), concurrency(processes),
          same_work ? fairness(processes) : of_different_work()};
}

}  // namespace aaco
