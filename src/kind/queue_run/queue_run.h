// SPDX-License-Identifier: MIT
// One run of a workload: a process that checks it, fresh processes that measure it, a session bundle.
#pragma once

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

}  // namespace aaco
