// SPDX-License-Identifier: MIT
// Two studies of trainings compared, cell by cell: `aaco diff` of their sessions, and `aaco llama study --against`.
#pragma once

#include <string>

#include "analysis/documents/training_study.h"
#include "verdict/pair_comparisons.h"

namespace aaco {

struct StudyDiffRequest {
  std::string sessions = "sessions";
  std::string baseline;  // a file of --output, a session's folder, or the id of one
  std::string test;      // a session
  CompareOptions options;
  bool drift_is_given = false;  // in the options; else what was measured on the test's machine is taken
};

// A study, or a training as one of a single cell. Errors: kUsage naming what is neither.
Result<TrainingStudyDocument> load_study(const std::string& sessions, const std::string& name);

// Also written to regress/verdict.json of the test's session. Errors: kUsage of either side.
Result<PairComparisons> diff_studies(const StudyDiffRequest& request);

}  // namespace aaco
