// SPDX-License-Identifier: MIT
// A worker process of a queue run: one role, one result file.
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

bool is_queue_role(const std::string& worker_role);

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

// The worker's main. The plan is a QueueRequest, but of kQueueProbe.
Result<int> run_queue_worker(const std::filesystem::path& plan_file, const std::string& worker_role, int64_t process);

}  // namespace aaco
