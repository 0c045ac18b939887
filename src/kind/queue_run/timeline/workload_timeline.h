// SPDX-License-Identifier: MIT
// All that the activity records of a workload say of its streams, over profiled processes.
#pragma once

#include <span>

#include "kind/queue_run/timeline/concurrency.h"
#include "kind/queue_run/timeline/fairness.h"
#include "kind/queue_run/timeline/launch_delay.h"
#include "kind/queue_run/timeline/same_stream_gap.h"
#include "kind/queue_run/timeline/workload_switches.h"

namespace aaco {

struct WorkloadTimeline {
  WorkloadSwitches switches;
  LaunchDelay launch_delay;
  SameStreamGap same_stream_gap;
  Concurrency concurrency;
  Fairness fairness;
};

// `same_work`: every stream that is used was given the same; else fairness has no data.
WorkloadTimeline workload_timeline(std::span<const ActivityRun> processes, bool same_work);

void to_json(Json& json, const WorkloadTimeline& value);
void from_json(const Json& json, WorkloadTimeline& value);

}  // namespace aaco
