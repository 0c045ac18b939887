// SPDX-License-Identifier: MIT
#include "kind/sweep/queue_sweep_run.h"

#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json/json.h"
#include "kind/queue_run/analysis/queue_points.h"
#include "kind/sweep/sweep_kinds.h"
#include "session/bundle/layout.h"
#include "session/session_info.h"

namespace aaco {

namespace {

RunFacts facts_of(const QueueRequest& request) {
  RunFacts facts;
  facts.model_name = request.workload;
  facts.backend = fmt::format("{}", fmt::join(request.devices, ","));
  return facts;
}

// Of the points that were measured, at least one.
Result<void> keep(const QueueRequest& request, SweepOutcome<QueueSweepDocument>& outcome) {
  QueueSweepDocument& document = outcome.document;
  std::vector<StreamPoint> points;
  for (const QueueRunDocument& run : document.points) {
    points.push_back(stream_point(run.request.streams, run.work, run.processes));
  }
  document.scaling = stream_scaling(points);
  document.stopped_by = outcome.failure ? std::optional(outcome.failure->message) : std::nullopt;
  return keep_sweep({kQueueSweep, request.sessions, request.command_line, facts_of(request)}, outcome, read_queue_sweep,
                    [&](SessionWriter& session) {
                      return session.write_rows<QueuePointRow>(layout::kQueuePoints, queue_points(document.scaling));
                    });
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
  outcome.failure =
      run_turns({streams.size()}, progress, [&](size_t member, size_t, const auto& share) -> Result<void> {
        QueueRequest point = request;
        point.streams = streams[member];
        AACO_ASSIGN(QueueRunDocument run, run_queue(point, share));
        document.points.push_back(std::move(run));
        return {};
      });
  if (document.points.empty()) {
    return *outcome.failure;
  }
  AACO_TRY(keep(request, outcome));
  return outcome;
}

Result<std::pair<std::filesystem::path, std::filesystem::path>> rerun_queue_sweeps(
    const std::filesystem::path& baseline, const std::filesystem::path& test, const std::string& sessions,
    const ProgressCallback& progress) {
  std::array<SweepOutcome<QueueSweepDocument>, 2> sides;
  std::array<std::vector<QueueRunDocument>, 2> recorded;
  for (size_t side = 0; side < sides.size(); ++side) {
    const std::filesystem::path& bundle = side == 0 ? baseline : test;
    AACO_ASSIGN(const JsonValue json, read_session_document(bundle, kQueueSweep.traits));
    AACO_ASSIGN(QueueSweepDocument document, read_queue_sweep(*json, bundle.string()));
    sides[side].document.workload = document.workload;
    recorded[side] = std::move(document.points);
  }
  const std::vector<SweepMember> members = members_in_turns(recorded[0].size(), recorded[1].size());
  std::vector<QueueRequest> requests;
  for (const SweepMember& member : members) {
    requests.push_back(request_again(recorded[member.side][member.index].request, sessions));
  }
  AACO_ASSIGN(std::vector<QueueRunDocument> runs, run_queues_in_turns(requests, progress));
  for (size_t i = 0; i < members.size(); ++i) {
    sides[members[i].side].document.points.push_back(std::move(runs[i]));
  }
  for (size_t side = 0; side < sides.size(); ++side) {
    AACO_TRY(keep(request_again(recorded[side].front().request, sessions), sides[side]));
  }
  return std::pair<std::filesystem::path, std::filesystem::path>(sides[0].document.bundle, sides[1].document.bundle);
}

}  // namespace aaco
