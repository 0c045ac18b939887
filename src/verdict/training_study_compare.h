// SPDX-License-Identifier: MIT
// Did a training become slower? Two studies (or single trainings), cell by cell, by the median step of each process.
#pragma once

#include "analysis/documents/training_study.h"
#include "verdict/pair_comparisons.h"

namespace aaco {

// A training as a study of one cell.
TrainingStudyDocument study_of(const TrainingRunDocument& run);

// Pure. A cell that one side measured and the other did not is a pair that is invalid, with the reason why it was not
// measured; one that neither side measured is none. So is invalid what did not train alike on both sides.
PairComparisons compare_studies(const TrainingStudyDocument& baseline, const TrainingStudyDocument& test,
                                const CompareOptions& options);

}  // namespace aaco
