// SPDX-License-Identifier: MIT
// The roles of a queue run's worker processes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/documents/queue_run_document.h"
#include "base/json_fwd.h"
#include "base/result.h"

namespace aaco {

namespace role {
inline constexpr const char* kQueueCheck = "queue_check";      // what the workload is, and whether it is right
inline constexpr const char* kQueueMeasure = "queue_measure";  // QueueProcess
inline constexpr const char* kQueueProfile = "queue_profile";  // ProfiledQueueProcess, and its activity (a file)
inline constexpr const char* kQueueRecords = "queue_records";  // RecordRun; the plan is a QueueProbeRequest
inline constexpr const char* kQueueProbe = "queue_probe";      // QueueProbeRun; the plan is a QueueProbeRequest
}  // namespace role

// What kQueueCheck found.
struct QueueInspection {
  QueueWork work;
  std::vector<DeviceFacts> devices;
  CommunicatorFacts communicator;
  std::optional<WorkloadCheck> verification;  // where it was asked for
  std::vector<std::string> notes;
};

void to_json(Json& json, const QueueInspection& inspection);
void from_json(const Json& json, QueueInspection& inspection);

// What a process of each role does. The plan is a QueueRequest where the role does not say otherwise.
struct WorkerTask;
Result<Json> queue_check_role(const WorkerTask& task);
Result<Json> queue_measure_role(const WorkerTask& task);
Result<Json> queue_profile_role(const WorkerTask& task);
Result<Json> queue_probe_role(const WorkerTask& task);
Result<Json> queue_records_role(const WorkerTask& task);

}  // namespace aaco
