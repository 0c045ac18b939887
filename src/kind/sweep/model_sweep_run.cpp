// SPDX-License-Identifier: MIT
#include "kind/sweep/model_sweep_run.h"

#include <fmt/format.h>

#include "kind/model_run/bundle_content.h"
#include "kind/sweep/sweep_kinds.h"

namespace aaco {

namespace {

// How latency grows with the batch is known once all points are: each point's session is analysed again with it.
Result<void> add_scaling(ModelSweepPoint& point, double batch_exponent) {
  AACO_ASSIGN(OpenSession session, open_session(point.bundle));
  AACO_ASSIGN(SessionWriter writer, SessionWriter::reopen(point.bundle));
  writer.info().facts.batch_exponent = batch_exponent;
  session.recording.facts.batch_exponent = batch_exponent;
  const Analysis analysis = analyse(session.recording);
  const Result<void> written = write_analysis(writer, session.recording, analysis);
  const Result<void> closed = writer.close(session.info.status, session.info.status_reason);
  point.bottleneck_class = word_of(analysis.bottleneck.bottleneck_class);
  return written ? closed : written;
}

// What is alike of all points.
RunFacts common_facts(RunFacts facts) {
  facts.batch = 0;
  facts.input_shapes.clear();
  facts.process_facts.clear();
  return facts;
}

}  // namespace

Result<SweepOutcome<ModelSweepDocument>> run_model_sweep(const RunRequest& request, const std::vector<int64_t>& batches,
                                                         const ProgressCallback& progress) {
  if (batches.empty()) {
    return Error{ErrorKind::kUsage, "--batch names no batch", "write --batch 1,2,4,8"};
  }
  SweepOutcome<ModelSweepDocument> outcome;
  ModelSweepDocument& document = outcome.document;
  std::vector<ScalingPoint> scaling;
  RunFacts facts;
  outcome.failure =
      run_turns({batches.size()}, progress, [&](size_t member, size_t, const auto& share) -> Result<void> {
        const int64_t batch = batches[member];
        RunRequest point = request;
        point.batch = batch;
        point.measure_roofs = request.measure_roofs && member == 0;
        AACO_ASSIGN(const RunOutcome run, run_model(point, [&](const std::string& what, double fraction) {
                      share(fmt::format("batch {}: {}", batch, what), fraction);
                    }));
        const LatencySummary* latency = run.analysis.latency(IterationPhase::kMeasure);
        if (latency != nullptr && run.status == SessionStatus::kComplete) {
          scaling.push_back({batch, latency->p50_ns, elapsed_of(run.analysis, batch)});
        }
        document.points.push_back(
            {batch, run.bundle.string(), run.status, word_of(run.analysis.bottleneck.bottleneck_class)});
        facts = run.facts;
        return {};
      });
  if (document.points.empty()) {
    return *outcome.failure;
  }
  document.scaling = scaling_of(scaling);
  for (ModelSweepPoint& point : document.points) {
    if (document.scaling.batch_exponent && point.status == SessionStatus::kComplete) {
      progress(fmt::format("batch {}: analysing with the growth over the batch", point.batch), 1);
      AACO_TRY(add_scaling(point, *document.scaling.batch_exponent));
    }
  }
  document.stopped_by = outcome.failure ? std::optional(outcome.failure->message) : std::nullopt;
  AACO_TRY(keep_sweep({kModelSweep, request.sessions, request.command_line, common_facts(std::move(facts))}, outcome,
                      read_model_sweep));
  return outcome;
}

}  // namespace aaco
