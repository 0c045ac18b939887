// SPDX-License-Identifier: MIT
// One run of a workload: a process that checks it, fresh processes that measure it, a session bundle.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/documents/queue_run_document.h"
#include "experiment/queue/queue_profile.h"
#include "experiment/queue/queue_request.h"
#include "experiment/queue/queue_worker.h"
#include "experiment/run_request.h"
#include "experiment/tool/tool_run.h"

namespace aaco {

struct QueueOutcome {
  std::filesystem::path bundle;
  std::string created_utc;
  QueueRequest request;
  QueueInspection inspection;
  std::vector<QueueProcess> processes;
  QueueFigures figures;
  std::optional<QueueProfile> profile;  // where it was asked for
  std::vector<DeviceClocks> clocks;     // of GPUs, while the measured iterations ran
  std::optional<ToolOutcome> tool;
};

// Errors: the request's; the device's or the workload's, from the process that met them; kInterrupted. What had been
// recorded by then is in the bundle, which is closed as failed or interrupted.
Result<QueueOutcome> run_queue(const QueueRequest& request, const ProgressCallback& progress);

// metrics/queue.json of the bundle, and what `aaco queue run --json` and --output give.
QueueRunDocument queue_document(const QueueOutcome& outcome);

}  // namespace aaco
