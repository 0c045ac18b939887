// SPDX-License-Identifier: MIT
#include "kind/training_samples.h"

#include <algorithm>
#include <iterator>

#include "base/json/json.h"
#include "kind/training/document/training_sample.h"

namespace aaco {

namespace {

NamedSample sample_of(const StudyCell& cell) {
  NamedSample named{.name = name_of(cell), .sample = {}, .losses = {}};
  RunSample& sample = named.sample;
  sample.phase = "measure";
  sample.status = SessionStatus::kComplete;
  if (!cell.run) {
    sample.status = cell.outcome == StudyOutcome::kInterrupted ? SessionStatus::kInterrupted : SessionStatus::kFailed;
    sample.status_reason = cell.reason;
    return named;
  }
  sample.created_utc = cell.run->created_utc;
  for (const TrainingProcess& process : cell.run->processes) {
    if (process.p50_ns) {
      sample.process_medians_ns.push_back(*process.p50_ns);
    }
    sample.iterations += process.steps;
    sample.stationary_processes += process.stationary ? 1 : 0;
  }
  describe_training(*cell.run, named);
  return named;
}

}  // namespace

TrainingStudyDocument study_of(const TrainingRunDocument& run) {
  TrainingStudyDocument study{{run.version, run.created_utc, run.bundle}, {}};
  study.cells.push_back(
      {.request = run.request, .outcome = StudyOutcome::kMeasured, .reason = "", .bundle = run.bundle, .run = run});
  return study;
}

Result<TrainingStudyDocument> read_study(const Json& document, const std::string& source) {
  if (document_kind(document) == TrainingRunDocument::kKind) {
    AACO_ASSIGN(const TrainingRunDocument run, read_training_run(document, source));
    return study_of(run);
  }
  return read_training_study(document, source);
}

std::vector<NamedSample> samples_of(const TrainingStudyDocument& study) {
  std::vector<NamedSample> samples;
  std::transform(study.cells.begin(), study.cells.end(), std::back_inserter(samples), sample_of);
  return samples;
}

Result<std::vector<NamedSample>> training_samples(const Json& document, const std::string& source) {
  AACO_ASSIGN(const TrainingStudyDocument study, read_study(document, source));
  return samples_of(study);
}

}  // namespace aaco
