// SPDX-License-Identifier: MIT
// What a comparison takes of a study of trainings, or of a single training: each cell, by the median step of each
// process.
#pragma once

#include <string>
#include <vector>

#include "kind/sweep/training_study.h"
#include "verdict/named_sample.h"

namespace aaco {

// A training as a study of one cell.
TrainingStudyDocument study_of(const TrainingRunDocument& run);

// The document of a study, or of a training as one of a single cell. Errors: kUsage naming `source` for what is
// neither.
Result<TrainingStudyDocument> read_study(const Json& document, const std::string& source);

// Pure. A cell that was not measured is a sample that failed, with the reason.
std::vector<NamedSample> samples_of(const TrainingStudyDocument& study);

// Errors: as of read_study.
Result<std::vector<NamedSample>> training_samples(const Json& document, const std::string& source);

}  // namespace aaco
