// SPDX-License-Identifier: MIT
#include "experiment/model_run/sweep.h"

#include <fmt/format.h>

#include "base/json.h"
#include "experiment/model_run/bundle_content.h"
#include "experiment/orchestrator.h"
#include "session/layout.h"

namespace aaco {

void to_json(Json& json, const SweepPoint& point) {
  json = {{"batch", point.batch},
          {"bundle", point.bundle},
          {"status", point.status},
          {"bottleneck_class", point.bottleneck_class}};
}

Json sweep_json(const SweepOutcome& outcome) {
  Json json;
  json["bundle"] = outcome.bundle.string();
  json["scaling"] = outcome.scaling;
  json["points"] = outcome.points;
  json["stopped_by"] = outcome.stopped_by ? Json(outcome.stopped_by->message) : Json();
  return json;
}

namespace {

// The session that names those of the points.
class SweepSession : public Strategy {
 public:
  SweepSession(const RunRequest& request, RunFacts facts, SweepOutcome& outcome)
      : request_(request), facts_(std::move(facts)), outcome_(outcome) {}

  Result<SessionStart> prepare() override {
    SessionStart start{request_.sessions, {}, {}};
    start.info.kind = session_kind::kSweep;
    start.info.command_line = request_.command_line;
    start.info.planes["sweep"] = {PlaneStatus::kRecorded, ""};
    start.info.facts = facts_;
    return start;
  }

  Result<SessionEnd> store(Orchestrator& run) override {
    outcome_.bundle = run.session().path();
    AACO_TRY(run.session().write_json_file(layout::kSweep, sweep_json(outcome_)));
    return end_after(outcome_.stopped_by);
  }

 private:
  const RunRequest& request_;
  RunFacts facts_;
  SweepOutcome& outcome_;
};

// How latency grows with the batch is known once all points are: each point's session is analysed again with it.
Result<void> add_scaling(SweepPoint& point, double batch_exponent) {
  AACO_ASSIGN(OpenSession session, open_session(point.bundle));
  AACO_ASSIGN(SessionWriter writer, SessionWriter::reopen(point.bundle));
  writer.info().facts.batch_exponent = batch_exponent;
  session.recording.facts.batch_exponent = batch_exponent;
  const Analysis analysis = analyse(session.recording);
  const Result<void> written = write_analysis(writer, session.recording, analysis);
  const Result<void> closed = writer.close(session.info.status, session.info.status_reason);
  point.bottleneck_class = analysis.bottleneck.bottleneck_class;
  return written ? closed : written;
}

}  // namespace

Result<SweepOutcome> run_sweep(const RunRequest& request, const std::vector<int64_t>& batches,
                               const ProgressCallback& progress) {
  if (batches.empty()) {
    return Error{ErrorKind::kUsage, "--batch names no batch", "write --batch 1,2,4,8"};
  }
  SweepOutcome outcome;
  std::vector<ScalingPoint> scaling;
  RunFacts facts;
  for (const int64_t batch : batches) {
    RunRequest one = request;
    one.batch = batch;
    one.measure_roofs = request.measure_roofs && outcome.points.empty();
    const auto run = run_model(one, [&](const std::string& what, double fraction) {
      progress(fmt::format("batch {}: {}", batch, what), fraction);
    });
    if (!run) {
      outcome.stopped_by = run.error();
      break;
    }
    const LatencySummary* latency = run->analysis.latency(phase::kMeasure);
    outcome.points.push_back(
        {batch, run->bundle.string(), run->status, std::nullopt, run->analysis.bottleneck.bottleneck_class});
    if (latency != nullptr && run->status == SessionStatus::kComplete) {
      outcome.points.back().latency_ns = latency->p50_ns;
      scaling.push_back({batch, latency->p50_ns, elapsed_of(run->analysis, batch)});
    }
    facts = run->facts;
  }
  if (outcome.points.empty()) {
    return *outcome.stopped_by;
  }
  outcome.scaling = scaling_of(scaling);
  for (SweepPoint& point : outcome.points) {
    if (outcome.scaling.batch_exponent && point.status == SessionStatus::kComplete) {
      progress(fmt::format("batch {}: analysing with the growth over the batch", point.batch), 1);
      AACO_TRY(add_scaling(point, *outcome.scaling.batch_exponent));
    }
  }
  facts.batch = 0;
  facts.input_shapes.clear();  // those of the points differ
  facts.process_facts.clear();
  SweepSession session(request, std::move(facts), outcome);
  AACO_TRY(orchestrate(session));
  return outcome;
}

}  // namespace aaco
