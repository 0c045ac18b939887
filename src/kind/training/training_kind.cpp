// SPDX-License-Identifier: MIT
#include "kind/training/training_kind.h"

#include "base/json/json.h"
#include "kind/recorded_sample.h"
#include "kind/training/document/training_run_document.h"
#include "kind/training/document/training_sample.h"
#include "kind/training/report/training_run_report.h"
#include "kind/training/training_run.h"
#include "kind/training/worker/training_worker.h"
#include "kind/training_samples.h"
#include "session/bundle/layout.h"
#include "session/session_info.h"

namespace aaco {

namespace {

constexpr WorkerRole kRoles[] = {
    {role::kTrainingCheck, training_check_role},       {role::kTrainingRoof, training_roof_role},
    {role::kTrainingMeasure, training_measure_role},   {role::kTrainingParts, training_parts_role},
    {role::kTrainingActivity, training_activity_role},
};

// Of a step; none where nothing may be said of its speed.
std::optional<double> training_p50_ms(const std::filesystem::path& bundle) {
  const Result<TrainingRunDocument> run = load_training(bundle);
  return run && run->figures.median_ns && why_no_speed(*run).empty()
             ? std::optional(run->figures.median_ns->value / 1e6)
             : std::nullopt;
}

// Described where it was recorded to its end.
Result<NamedSample> recorded_training_sample(const OpenSession& session, const Analysis& analysis) {
  AACO_ASSIGN(NamedSample named, recorded_sample(session, analysis));
  if (named.sample.status == SessionStatus::kComplete) {
    AACO_ASSIGN(const TrainingRunDocument document, load_training(session.path));
    describe_training(document, named);
  }
  return named;
}

}  // namespace

Result<TrainingRunDocument> load_training(const std::filesystem::path& bundle) {
  AACO_ASSIGN(const JsonValue document, read_session_document(bundle, kTraining.traits));
  return read_training_run(*document, (bundle / layout::kTraining).string());
}

constinit const Kind kTraining{
    .traits = {.id = "training",
               .command = "aaco llama",
               .document = layout::kTraining,
               .has_iterations = true,
               .iteration = "step",
               .iteration_time = "step time"},
    .roles = kRoles,
    .report = report::training_run_report,
    .p50_ms = training_p50_ms,
    .run_sample = recorded_training_sample,
    .samples = training_samples,  // beside a study, as one of a single cell
    .rerun = rerun_trainings,
};

}  // namespace aaco
