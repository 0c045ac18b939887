// SPDX-License-Identifier: MIT
// Streams and hardware queues as sections of a report, for `aaco queue` and its sessions; render_text makes the tables
// for a terminal. Each figure stands with its unit, its interval and its quality; one without a value with its reason.
#pragma once

#include <span>
#include <string>

#include "analysis/queue/concurrency.h"
#include "analysis/queue/convoy.h"
#include "analysis/queue/fairness.h"
#include "analysis/queue/launch_cost.h"
#include "analysis/queue/launch_delay.h"
#include "analysis/queue/priority_effect.h"
#include "analysis/queue/queue_map.h"
#include "analysis/queue/same_stream_gap.h"
#include "analysis/queue/stream_scaling.h"
#include "analysis/queue/switch_cost.h"
#include "analysis/queue/workload_switches.h"
#include "report/report_model.h"

namespace aaco::report {

// One row a figure of queue_metrics(), with its definition as notes, and below it why figures have no value or are not
// to be relied upon.
std::vector<Block> figure_blocks(const std::string& id, std::span<const MetricValue> figures);

// The switch experiment, independent and with hand-offs.
Section switch_section(const SwitchCost& independent, const SwitchCost& hand_off);
Section queue_map_section(const QueueMap& map);
Section launch_cost_section(std::span<const LaunchCost> costs);
Section convoy_section(const Convoy& convoy);
Section priority_section(const PriorityEffect& effect);

// What the activity records of a workload say. `under_profiler`: a vendor's profiler recorded them; then it is said.
struct WorkloadTimeline {
  WorkloadSwitches switches;
  LaunchDelay launch_delay;
  SameStreamGap same_stream_gap;
  Concurrency concurrency;
  std::optional<Fairness> fairness;  // of workloads whose streams have the same work
  bool under_profiler = false;
};
Section workload_timeline_section(const WorkloadTimeline& timeline);

// `unit` of the throughput: "tokens/s".
Section stream_scaling_section(const StreamScaling& scaling, const std::string& unit);

}  // namespace aaco::report
