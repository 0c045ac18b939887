// SPDX-License-Identifier: MIT
// What the profiled processes of a queue run say, from what they left.
#pragma once

#include <vector>

#include "base/result.h"
#include "kind/queue_run/document/queue_profile_result.h"
#include "kind/queue_run/document/workload_request.h"
#include "record/rows.h"

namespace aaco {

// `iterations`: of the profiled processes. Reads their activity from the request's folder. Errors: of those files.
Result<QueueProfile> queue_profile(const QueueRequest& request, const std::vector<QueueProcess>& unprofiled,
                                   std::vector<ProfiledQueueProcess> profiled,
                                   const std::vector<IterationRow>& iterations);

}  // namespace aaco
