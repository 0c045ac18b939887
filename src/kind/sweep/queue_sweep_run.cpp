// SPDX-License-Identifier: MIT
#include "kind/sweep/queue_sweep_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kind/queue_run/analysis/queue_points.h"
#include "kind/sweep/sweep_kinds.h"
#include "session/bundle/layout.h"

namespace aaco {

namespace {

RunFacts facts_of(const QueueRequest& request) {
  RunFacts facts;
  facts.model_name = request.workload;
  facts.backend = fmt::format("{}", fmt::join(request.devices, ","));
  return facts;
}

}  // namespace

Result<SweepOutcome<QueueSweepDocument>> run_queue_sweep(const QueueRequest& given, const std::vector<int32_t>& streams,
                                                         const ProgressCallback& progress) {
  if (streams.empty()) {
    return Error{ErrorKind::kUsage, "--streams names no number of streams", "write --streams 1,2,4,8,16"};
  }
  if (given.sync_mode == "none") {
    return Error{ErrorKind::kUsage, "--sync-mode none: a sweep compares throughputs, and none is measured so",
                 "choose per_iteration or end_only"};
  }
  AACO_ASSIGN(const QueueRequest request, complete_request(given));
  SweepOutcome<QueueSweepDocument> outcome;
  QueueSweepDocument& document = outcome.document;
  document.workload = request.workload;
  std::vector<StreamPoint> points;
  outcome.failure =
      run_turns({streams.size()}, progress, [&](size_t member, size_t, const auto& share) -> Result<void> {
        QueueRequest point = request;
        point.streams = streams[member];
        AACO_ASSIGN(QueueRunDocument run, run_queue(point, share));
        points.push_back(stream_point(point.streams, run.work, run.processes));
        document.points.push_back(std::move(run));
        return {};
      });
  if (document.points.empty()) {
    return *outcome.failure;
  }
  document.scaling = stream_scaling(points);
  document.stopped_by = outcome.failure ? std::optional(outcome.failure->message) : std::nullopt;
  AACO_TRY(keep_sweep({kQueueSweep, request.sessions, request.command_line, facts_of(request)}, outcome,
                      read_queue_sweep, [&](SessionWriter& session) {
                        return session.write_rows<QueuePointRow>(layout::kQueuePoints, queue_points(document.scaling));
                      }));
  return outcome;
}

}  // namespace aaco
