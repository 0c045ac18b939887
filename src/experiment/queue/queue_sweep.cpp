// SPDX-License-Identifier: MIT
#include "experiment/queue/queue_sweep.h"

#include <fmt/format.h>

#include "analysis/queue/queue_points.h"
#include "base/json.h"
#include "base/version.h"
#include "observe/environment.h"
#include "session/layout.h"
#include "session/session.h"

namespace aaco {

namespace {

Result<void> write_bundle(const QueueRequest& request, QueueSweepOutcome& outcome) {
  SessionInfo info;
  info.kind = session_kind::kQueueSweep;
  info.command_line = request.command_line;
  info.planes["sweep"] = {PlaneStatus::kRecorded, ""};
  info.facts.model_name = request.workload;
  info.facts.backend = request.devices.front();
  AACO_ASSIGN(SessionWriter session, SessionWriter::create(request.sessions, std::move(info)));
  outcome.bundle = session.path();
  AACO_TRY(session.write_json_file(layout::kEnvironment, capture_environment(EnvironmentOptions())));
  AACO_TRY(session.write_json_file(layout::kQueue, queue_sweep_document(outcome)));
  AACO_TRY(session.write_rows<QueuePointRow>(layout::kQueuePoints, queue_points(outcome.scaling)));
  return session.close(outcome.stopped_by ? status_after(*outcome.stopped_by) : SessionStatus::kComplete,
                       outcome.stopped_by ? outcome.stopped_by->message : "");
}

}  // namespace

Result<QueueSweepOutcome> run_queue_sweep(const QueueRequest& request, const std::vector<int32_t>& streams,
                                          const ProgressCallback& progress) {
  if (streams.empty()) {
    return Error{ErrorKind::kUsage, "--streams names no number of streams", "write --streams 1,2,4,8,16"};
  }
  if (request.sync_mode == "none") {
    return Error{ErrorKind::kUsage, "--sync-mode none: a sweep compares throughputs, and none is measured so",
                 "choose per_iteration or end_only"};
  }
  QueueSweepOutcome outcome;
  outcome.workload = request.workload;
  std::vector<StreamPoint> points;
  for (const int32_t count : streams) {
    QueueRequest one = request;
    one.streams = count;
    auto run = run_queue(one, progress);
    if (!run) {
      outcome.stopped_by = run.error();
      break;
    }
    points.push_back(stream_point(count, run->inspection.work, run->processes));
    outcome.points.push_back(std::move(*run));
  }
  if (outcome.points.empty()) {
    return *outcome.stopped_by;
  }
  outcome.scaling = stream_scaling(points);
  AACO_TRY(write_bundle(request, outcome));
  return outcome;
}

QueueSweepDocument queue_sweep_document(const QueueSweepOutcome& outcome) {
  QueueSweepDocument document;
  document.version = program_version();
  document.bundle = outcome.bundle.string();
  document.workload = outcome.workload;
  document.scaling = outcome.scaling;
  for (const QueueOutcome& point : outcome.points) {
    document.points.push_back(queue_document(point));
  }
  if (outcome.stopped_by) {
    document.stopped_by = outcome.stopped_by->message;
  }
  return document;
}

}  // namespace aaco
