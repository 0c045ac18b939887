// SPDX-License-Identifier: MIT
// The roles of a queue probe's worker processes. The plan of each is a QueueProbeRequest.
#pragma once

#include "base/json/json_fwd.h"
#include "base/result.h"

namespace aaco {

namespace role {
inline constexpr const char* kQueueRecords = "queue_records";  // RecordRun
inline constexpr const char* kQueueProbe = "queue_probe";      // QueueProbeRun
}  // namespace role

struct WorkerTask;
Result<Json> queue_probe_role(const WorkerTask& task);
Result<Json> queue_records_role(const WorkerTask& task);

}  // namespace aaco
