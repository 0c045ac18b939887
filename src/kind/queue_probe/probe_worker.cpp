// SPDX-License-Identifier: MIT
#include "kind/queue_probe/probe_worker.h"

#include "base/json/json.h"
#include "engine/worker_role.h"
#include "kind/queue_probe/probes/record_probe.h"
#include "kind/queue_probe/queue_probe.h"

namespace aaco {

namespace {

Result<QueueProbeRequest> plan_of(const WorkerTask& task) {
  return from_json_value<QueueProbeRequest>(task.plan, task.plan_file.string());
}

}  // namespace

Result<Json> queue_probe_role(const WorkerTask& task) {
  AACO_ASSIGN(const auto request, plan_of(task));
  AACO_ASSIGN(const QueueProbeRun run, probe_queues(request));
  return Json(run);
}

Result<Json> queue_records_role(const WorkerTask& task) {
  AACO_ASSIGN(const auto request, plan_of(task));
  AACO_ASSIGN(const RecordRun run, probe_records(request.device, RecordProbe()));
  return Json(run);
}

}  // namespace aaco
