// SPDX-License-Identifier: MIT
// One run of a workload: a process that checks it, fresh processes that measure it, a session bundle.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "engine/progress.h"
#include "engine/tool/tool_run.h"
#include "kind/queue_run/document/queue_run_document.h"
#include "kind/queue_run/document/workload_request.h"
#include "kind/queue_run/queue_profile.h"
#include "kind/queue_run/worker/queue_worker.h"

namespace aaco {

// Errors: the request's; the device's or the workload's, from the process that met them; kInterrupted. What had been
// recorded by then is in the bundle, which is closed as failed or interrupted.
Result<QueueRunDocument> run_queue(const QueueRequest& request, const ProgressCallback& progress);

// Two recorded runs again, their processes in turns (ABBA): the two new bundles. As they were asked for, without a
// profiler and without an end of their own. Errors: kUsage too, for a bundle that holds no request.
Result<std::pair<std::filesystem::path, std::filesystem::path>> rerun_queues(const std::filesystem::path& baseline,
                                                                             const std::filesystem::path& test,
                                                                             const std::string& sessions,
                                                                             const ProgressCallback& progress);

}  // namespace aaco
