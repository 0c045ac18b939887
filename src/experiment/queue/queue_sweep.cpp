// SPDX-License-Identifier: MIT
#include "experiment/queue/queue_sweep.h"

#include <fmt/format.h>

#include "analysis/queue/queue_points.h"
#include "base/json.h"
#include "base/version.h"
#include "experiment/orchestrator.h"
#include "observe/environment.h"
#include "session/layout.h"

namespace aaco {

namespace {

// The session that names those of the points.
class QueueSweepSession : public Strategy {
 public:
  QueueSweepSession(const QueueRequest& request, QueueSweepOutcome& outcome) : request_(request), outcome_(outcome) {}

  Result<SessionStart> prepare() override {
    SessionStart start{request_.sessions, {}, {}};
    start.info.kind = session_kind::kQueueSweep;
    start.info.command_line = request_.command_line;
    start.info.planes["sweep"] = {PlaneStatus::kRecorded, ""};
    start.info.facts.model_name = request_.workload;
    start.info.facts.backend = request_.devices.front();
    return start;
  }

  Result<SessionEnd> store(Orchestrator& run) override {
    SessionWriter& session = run.session();
    outcome_.bundle = session.path();
    AACO_TRY(session.write_json_file(layout::kEnvironment, capture_environment(EnvironmentOptions())));
    AACO_TRY(session.write_json_file(layout::kQueue, queue_sweep_document(outcome_)));
    AACO_TRY(session.write_rows<QueuePointRow>(layout::kQueuePoints, queue_points(outcome_.scaling)));
    return end_after(outcome_.stopped_by);
  }

 private:
  const QueueRequest& request_;
  QueueSweepOutcome& outcome_;
};

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
  QueueSweepSession session(request, outcome);
  AACO_TRY(orchestrate(session));
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
