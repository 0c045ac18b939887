// SPDX-License-Identifier: MIT
// metrics/queue.json of a queue run, which `aaco queue run --json` and --output give too: one type, which one function
// writes and one reads.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/devices/device_clocks.h"
#include "analysis/devices/device_facts.h"
#include "analysis/devices/tool_outcome.h"
#include "base/json/json_fwd.h"
#include "base/result.h"
#include "kind/queue_run/analysis/queue_process.h"
#include "kind/queue_run/analysis/run_figures.h"
#include "kind/queue_run/document/queue_profile_result.h"
#include "kind/queue_run/document/queue_request.h"

namespace aaco {

// What the check of a workload's operations found (workload/checks/verify.h); only of one that found them right.
struct WorkloadCheck {
  int64_t operations = 0;
  int64_t checked = 0;
  int64_t in_part = 0;
  int64_t outputs = 0;
  int64_t iterations = 0;
  bool bitwise = false;
  double worst_error = 0;
  std::string worst_operation;
};

struct QueueRunDocument {
  static constexpr const char* kKind = "queue_run";

  std::string version;  // of the program
  std::string created_utc;
  std::string bundle;
  QueueRequest request;
  QueueWork work;
  std::vector<DeviceFacts> devices;
  CommunicatorFacts communicator;
  std::optional<WorkloadCheck> verification;  // where it was asked for
  std::vector<std::string> notes;
  std::vector<QueueProcess> processes;
  QueueFigures figures;
  std::vector<DeviceClocks> clocks;     // of GPUs
  std::optional<QueueProfile> profile;  // where it was asked for
  std::vector<ToolOutcome> tools;
  std::optional<UntilFacts> until;  // of a run that ended by itself
};

void to_json(Json& json, const WorkloadCheck& check);
void from_json(const Json& json, WorkloadCheck& check);
void to_json(Json& json, const QueueRunDocument& document);
void from_json(const Json& json, QueueRunDocument& document);

// Errors: kUsage naming `source` for what is no such document, or has a figure that no run can give.
Result<QueueRunDocument> read_queue_run(const Json& json, std::string_view source);

}  // namespace aaco
