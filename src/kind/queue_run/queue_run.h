// SPDX-License-Identifier: MIT
// One run of a workload: a process that checks it, fresh processes that measure it, a session bundle.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

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

// A recorded request for measuring again: without a profiler, and without an end of its own, since both sides of a pair
// must end after as many processes as they were asked for.
QueueRequest request_again(QueueRequest recorded, const std::string& sessions);

// Several in one time span, a session each; their processes take turns, ABBA. Errors: the first that one of them met.
Result<std::vector<QueueRunDocument>> run_queues_in_turns(std::vector<QueueRequest> requests,
                                                          const ProgressCallback& progress);

// Two recorded runs again, as request_again() has them: the two new bundles. Errors: kUsage too, for a bundle that
// holds no request.
Result<std::pair<std::filesystem::path, std::filesystem::path>> rerun_queues(const std::filesystem::path& baseline,
                                                                             const std::filesystem::path& test,
                                                                             const std::string& sessions,
                                                                             const ProgressCallback& progress);

}  // namespace aaco
