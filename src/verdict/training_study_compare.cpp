// SPDX-License-Identifier: MIT
#include "verdict/training_study_compare.h"

#include <algorithm>

#include "verdict/training_sample.h"

namespace aaco {

namespace {

RunSample sample_of(const StudyCell& cell) {
  RunSample sample;
  sample.phase = "measure";
  sample.status = SessionStatus::kComplete;
  if (!cell.run) {
    sample.status = cell.outcome == StudyOutcome::kInterrupted ? SessionStatus::kInterrupted : SessionStatus::kFailed;
    sample.status_reason = cell.reason;
    return sample;
  }
  sample.created_utc = cell.run->created_utc;
  for (const TrainingProcess& process : cell.run->processes) {
    if (process.p50_ns) {
      sample.process_medians_ns.push_back(*process.p50_ns);
    }
    sample.iterations += process.steps;
    sample.stationary_processes += process.stationary ? 1 : 0;
  }
  describe_training(*cell.run, sample);
  return sample;
}

const StudyCell* cell_named(const TrainingStudyDocument& study, const std::string& name) {
  const auto found = std::find_if(study.cells.begin(), study.cells.end(),
                                  [&](const StudyCell& cell) { return name_of(cell) == name; });
  return found == study.cells.end() ? nullptr : &*found;
}

// Those of one side that it or the other measured.
std::vector<NamedSample> samples_of(const TrainingStudyDocument& study, const TrainingStudyDocument& other) {
  std::vector<NamedSample> samples;
  for (const StudyCell& cell : study.cells) {
    const StudyCell* const partner = cell_named(other, name_of(cell));
    if (cell.run || (partner != nullptr && partner->run)) {
      samples.push_back({name_of(cell), sample_of(cell)});
    }
  }
  return samples;
}

}  // namespace

TrainingStudyDocument study_of(const TrainingRunDocument& run) {
  TrainingStudyDocument study{
      .version = run.version, .created_utc = run.created_utc, .bundle = run.bundle, .cells = {}};
  study.cells.push_back(
      {.request = run.request, .outcome = StudyOutcome::kMeasured, .reason = "", .bundle = run.bundle, .run = run});
  return study;
}

PairComparisons compare_studies(const TrainingStudyDocument& baseline, const TrainingStudyDocument& test,
                                const CompareOptions& options) {
  std::vector<NamedSample> tests = samples_of(test, baseline);
  for (NamedSample& named : tests) {
    const StudyCell* const a = cell_named(baseline, named.name);
    const StudyCell* const b = cell_named(test, named.name);
    const std::string difference = a != nullptr && a->run && b->run ? loss_difference(*a->run, *b->run) : "";
    if (!difference.empty() && named.sample.status == SessionStatus::kComplete) {
      named.sample.status = SessionStatus::kInvalid;
      named.sample.status_reason = difference + ": they did not train alike";
    }
  }
  return compare_pairs(samples_of(baseline, test), tests, options);
}

}  // namespace aaco
