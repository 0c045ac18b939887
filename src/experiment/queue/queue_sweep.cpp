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
    outcome_.document.bundle = session.path().string();
    AACO_TRY(session.write_json_file(layout::kEnvironment, capture_environment(EnvironmentOptions())));
    AACO_TRY(session.write_json_file(layout::kQueue, outcome_.document));
    AACO_TRY(session.write_rows<QueuePointRow>(layout::kQueuePoints, queue_points(outcome_.document.scaling)));
    return end_after(outcome_.stopped_by);
  }

 private:
  const QueueRequest& request_;
  QueueSweepOutcome& outcome_;
};

}  // namespace

Result<QueueSweepOutcome> run_queue_sweep(const QueueRequest& given, const std::vector<int32_t>& streams,
                                          const ProgressCallback& progress) {
  if (streams.empty()) {
    return Error{ErrorKind::kUsage, "--streams names no number of streams", "write --streams 1,2,4,8,16"};
  }
  if (given.sync_mode == "none") {
    return Error{ErrorKind::kUsage, "--sync-mode none: a sweep compares throughputs, and none is measured so",
                 "choose per_iteration or end_only"};
  }
  AACO_ASSIGN(const QueueRequest request, complete_request(given));
  QueueSweepOutcome outcome;
  outcome.document.version = program_version();
  outcome.document.workload = request.workload;
  std::vector<StreamPoint> points;
  for (const int32_t count : streams) {
    QueueRequest one = request;
    one.streams = count;
    const auto part = [&](const std::string& what, double fraction) {
      progress(what, (static_cast<double>(points.size()) + fraction) / static_cast<double>(streams.size()));
    };
    auto run = run_queue(one, part);
    if (!run) {
      outcome.stopped_by = run.error();
      outcome.document.stopped_by = run.error().message;
      break;
    }
    points.push_back(stream_point(count, run->work, run->processes));
    outcome.document.points.push_back(std::move(*run));
  }
  if (outcome.document.points.empty()) {
    return *outcome.stopped_by;
  }
  outcome.document.scaling = stream_scaling(points);
  QueueSweepSession session(request, outcome);
  AACO_TRY(orchestrate(session));
  return outcome;
}

}  // namespace aaco
