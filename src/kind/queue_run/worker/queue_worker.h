// SPDX-License-Identifier: MIT
// The roles of a queue run's worker processes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"
#include "base/result.h"
#include "kind/queue_run/document/queue_run_document.h"

namespace aaco {

namespace role {
inline constexpr const char* kQueueCheck = "queue_check";      // what the workload is, and whether it is right
inline constexpr const char* kQueueMeasure = "queue_measure";  // QueueProcess
inline constexpr const char* kQueueProfile = "queue_profile";  // ProfiledQueueProcess, and its activity (a file)
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

// What a process of each role does. The plan is a QueueRequest.
struct WorkerTask;
Result<Json> queue_check_role(const WorkerTask& task);
Result<Json> queue_measure_role(const WorkerTask& task);
Result<Json> queue_profile_role(const WorkerTask& task);

}  // namespace aaco
