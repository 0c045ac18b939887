// SPDX-License-Identifier: MIT
// Gaps between kernels of a real workload, told apart by what they are between. Of each kernel and the one that ended
// last before it on its device:
//
//   overlapped     it began before that one's end
//   unknown        its launching call is not recorded, or it is a graph's node
//   unresolved     it is not known what it waited for, or when that ended
//   not ready      it became ready only after that one's end: the gap is the host's or a dependency's
//   else           gap = start - end of that one, ns: on the same stream, on another stream, or a hand-off (the other
//                  stream's kernel is one that it waits for through an event)
//
// switch cost = median gap to another stream - median gap on the same stream, within a process; over processes as ever.
// What it does not tell: the cost of a switch between kernels that fill the device (switch_cost.h measures that): here
// a kernel may begin early on units that the one before left free, and pairs that overlapped are no part of it. Under a
// profiler the gaps contain the profiler.
#pragma once

#include <span>

#include "analysis/metric/metric.h"
#include "base/json/json_fwd.h"
#include "kind/queue_run/timeline/kernel_readiness.h"

namespace aaco {

struct WorkloadSwitches {
  MetricValue same_stream_gap;
  MetricValue other_stream_gap;
  MetricValue hand_off_gap;
  MetricValue switch_cost;
  MetricValue hand_off_cost;
  // Pairs over all processes; the last seven add up to the first.
  int64_t pairs = 0;
  int64_t same_stream = 0;
  int64_t other_stream = 0;
  int64_t hand_off = 0;
  int64_t overlapped = 0;
  int64_t not_ready = 0;
  int64_t unknown = 0;
  int64_t unresolved = 0;
};

WorkloadSwitches workload_switches(std::span<const ActivityRun> processes);

void to_json(Json& json, const WorkloadSwitches& value);
void from_json(const Json& json, WorkloadSwitches& value);

}  // namespace aaco
