// SPDX-License-Identifier: MIT
// How the results of these analyses stand in a document: by the names of their members.
#include "base/json/json.h"
#include "kind/queue_run/timeline/concurrency.h"
#include "kind/queue_run/timeline/fairness.h"
#include "kind/queue_run/timeline/launch_delay.h"
#include "kind/queue_run/timeline/same_stream_gap.h"
#include "kind/queue_run/timeline/workload_switches.h"
#include "kind/queue_run/timeline/workload_timeline.h"

namespace aaco {

AACO_JSON_FIELDS(Concurrency, mean_in_flight, most_in_flight, at_level_ns, streams, kernels)
AACO_JSON_FIELDS(Fairness, jain, max_over_min, streams, rounds, progress)
AACO_JSON_FIELDS(LaunchDelay, p50, p99, delays_ns, without_call)
AACO_JSON_FIELDS(SameStreamGap, p50, p99, gaps_ns, not_ready, unknown)
AACO_JSON_FIELDS(WorkloadSwitches, same_stream_gap, other_stream_gap, hand_off_gap, switch_cost, hand_off_cost, pairs,
                 same_stream, other_stream, hand_off, overlapped, not_ready, unknown, unresolved)
AACO_JSON_FIELDS(WorkloadTimeline, switches, launch_delay, same_stream_gap, concurrency, fairness)

}  // namespace aaco
