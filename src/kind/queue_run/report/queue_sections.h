// SPDX-License-Identifier: MIT
// Streams and hardware queues as sections of a report, for `aaco queue` and its sessions; render_text makes the tables
// for a terminal. Each figure stands with its unit, its interval and its quality; one without a value with its reason.
#pragma once

#include <span>
#include <string>

#include "kind/queue_probe/analysis/convoy.h"
#include "kind/queue_probe/analysis/launch_cost.h"
#include "kind/queue_probe/analysis/priority_effect.h"
#include "kind/queue_probe/analysis/queue_limit.h"
#include "kind/queue_probe/analysis/queue_map.h"
#include "kind/queue_probe/analysis/record_check.h"
#include "kind/queue_probe/analysis/switch_cost.h"
#include "kind/queue_run/analysis/profiling_overhead.h"
#include "kind/queue_run/analysis/stream_scaling.h"
#include "kind/queue_run/timeline/workload_timeline.h"
#include "record/events/event_table.h"
#include "report/report_model.h"

namespace aaco::report {

// The switch experiment, independent and with hand-offs.
Section switch_section(const SwitchCost& independent, const SwitchCost& hand_off);
Section queue_map_section(const QueueMap& map, const QueueLimit& limit);
Section launch_cost_section(std::span<const LaunchCost> costs);
Section convoy_section(const Convoy& convoy);
Section priority_section(const PriorityEffect& effect);
Section record_section(const RecordCheck& check);

// What the activity records of a workload say, with what it cost to take them and the latency without.
Section workload_timeline_section(const WorkloadTimeline& timeline, const ProfilingOverhead& overhead);

// What the profiled process of a run recorded: kernels in flight, launch delays, the work of each stream.
Section device_activity_section(const EventTable& events);

// `unit` of the throughput: "tokens/s".
Section stream_scaling_section(const StreamScaling& scaling, const std::string& unit);

}  // namespace aaco::report
