// SPDX-License-Identifier: MIT
// What the profiled processes of a queue run say: figures that only records of each kernel can give, and what taking
// those records cost.
#pragma once

#include <filesystem>
#include <vector>

#include "analysis/queue/profiling_overhead.h"
#include "analysis/queue/workload_timeline.h"
#include "experiment/queue/queue_request.h"
#include "experiment/queue/queue_worker.h"
#include "trace/rows.h"

namespace aaco {

struct QueueProfile {
  std::string collector;  // of which backend
  std::vector<ProfiledQueueProcess> processes;
  int64_t records = 0;
  uint64_t dropped = 0;
  ProfilingOverhead overhead;
  WorkloadTimeline timeline;
};

// `iterations`: of the profiled processes. Reads their activity from the request's folder. Errors: of those files.
Result<QueueProfile> queue_profile(const QueueRequest& request, const std::vector<QueueProcess>& unprofiled,
                                   std::vector<ProfiledQueueProcess> profiled,
                                   const std::vector<IterationRow>& iterations);

void to_json(Json& json, const QueueProfile& profile);

}  // namespace aaco
