// SPDX-License-Identifier: MIT
// What the profiled processes of a queue run say: figures that only records of each kernel can give, and what taking
// those records cost. A part of the run's document.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"
#include "kind/queue_run/analysis/profiling_overhead.h"
#include "kind/queue_run/analysis/queue_process.h"
#include "kind/queue_run/timeline/workload_timeline.h"

namespace aaco {

// Processes under the profiler are numbered after those that measure.
struct ProfiledQueueProcess {
  QueueProcess process;
  int64_t records = 0;     // of the measured iterations
  bool same_work = false;  // all streams that are used have the same
};

struct QueueProfile {
  std::string collector;  // of which backend
  std::vector<ProfiledQueueProcess> processes;
  int64_t records = 0;
  uint64_t dropped = 0;
  ProfilingOverhead overhead;
  WorkloadTimeline timeline;
};

void to_json(Json& json, const ProfiledQueueProcess& profiled);
void from_json(const Json& json, ProfiledQueueProcess& profiled);
void to_json(Json& json, const QueueProfile& profile);
void from_json(const Json& json, QueueProfile& profile);

}  // namespace aaco
