// SPDX-License-Identifier: MIT
// One run of a workload: a process that checks it, fresh processes that measure it, a session bundle.
#pragma once

#include "analysis/documents/queue_run_document.h"
#include "experiment/queue/queue_profile.h"
#include "experiment/queue/queue_request.h"
#include "experiment/queue/queue_worker.h"
#include "experiment/run_request.h"
#include "experiment/tool/tool_run.h"

namespace aaco {

// Errors: the request's; the device's or the workload's, from the process that met them; kInterrupted. What had been
// recorded by then is in the bundle, which is closed as failed or interrupted.
Result<QueueRunDocument> run_queue(const QueueRequest& request, const ProgressCallback& progress);

}  // namespace aaco
