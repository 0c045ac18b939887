// SPDX-License-Identifier: MIT
// `aaco llama study`: every combination of sizes, versions, precisions and batches, each a training with a session of
// its own, their processes in turns; the study is a session that names them.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "kind/sweep/sweep_run.h"
#include "kind/sweep/training_study.h"
#include "kind/training/training_run.h"

namespace aaco {

// What is varied; an empty list leaves what the request has.
struct StudyAxes {
  std::vector<std::string> presets;
  std::vector<std::string> precisions;
  std::vector<int64_t> sequences;  // of a batch
  std::vector<int64_t> lengths;
  std::vector<int32_t> versions;  // beside each other, so that they take turns closely
};

// Complete requests, versions varying fastest. Errors: kUsage for what cannot be, or is given twice.
Result<std::vector<TrainingRequest>> study_requests(const TrainingRequest& base, const StudyAxes& axes);

// All processes of all trainings take turns, so that a training which fails does not end the others. The failure of the
// outcome is an interrupt; else what the first of the cells that failed failed at, or, where none was measured, that.
// Errors: kUsage before anything is begun; those of the study's own session.
Result<SweepOutcome<TrainingStudyDocument>> run_training_study(const TrainingRequest& base, const StudyAxes& axes,
                                                               const ProgressCallback& progress);

// Two recorded studies again, the processes of all their trainings in turns: the two new bundles. A training that was
// not measured then is left out. Errors: what a training fails at; kUnavailable where none was measured.
Result<std::pair<std::filesystem::path, std::filesystem::path>> rerun_training_studies(
    const std::filesystem::path& baseline, const std::filesystem::path& test, const std::string& sessions,
    const ProgressCallback& progress);

// What becomes of the attempts, in the order of their requests. Pure.
SweepOutcome<TrainingStudyDocument> study_outcome(const std::vector<TrainingRequest>& requests,
                                                  std::vector<TrainingAttempt> attempts);

}  // namespace aaco
