// SPDX-License-Identifier: MIT
// A worker process of a queue run: one role, one result file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/queue/queue_process.h"
#include "base/json.h"
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
  Json devices;       // their properties
  Json communicator;  // ranks, library, emulated
  Json verification;  // null where it was not asked for
  std::vector<std::string> notes;
};

void to_json(Json& json, const QueueInspection& inspection);
void from_json(const Json& json, QueueInspection& inspection);

// What kQueueProfile found. Processes of that role are numbered after those that measure.
struct ProfiledQueueProcess {
  QueueProcess process;
  int64_t records = 0;     // of the measured iterations
  bool same_work = false;  // all streams that are used have the same
};

void to_json(Json& json, const ProfiledQueueProcess& profiled);
void from_json(const Json& json, ProfiledQueueProcess& profiled);

// The worker's main. The plan is a QueueRequest, but of kQueueProbe.
Result<int> run_queue_worker(const std::filesystem::path& plan_file, const std::string& worker_role, int64_t process);

}  // namespace aaco
