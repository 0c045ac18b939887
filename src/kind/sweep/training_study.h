// SPDX-License-Identifier: MIT
// metrics/training.json of a study, which `aaco llama study --json` and --output give too: trainings of several sizes,
// versions, precisions and batches, their processes in turns.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kind/sweep/document/sweep_document.h"
#include "kind/training/document/training_run_document.h"

namespace aaco {

enum class StudyOutcome : uint8_t { kMeasured, kDidNotFit, kFailed, kInterrupted };
const char* study_outcome_name(StudyOutcome outcome);  // "measured", "did not fit", ...

// One combination.
struct StudyCell {
  TrainingRequest request;  // complete
  StudyOutcome outcome = StudyOutcome::kInterrupted;
  std::string reason;                      // why it was not measured
  std::string bundle;                      // of its session
  std::optional<TrainingRunDocument> run;  // where it was measured
};

// "small V2, bf16, 8 x 256 tokens", and what else differs from the preset; the same of two cells that are alike.
std::string name_of(const StudyCell& cell);

struct TrainingStudyDocument : SweepHead {
  static constexpr SweepForm kForm{"training_study", "aaco llama study", "cells"};

  std::vector<StudyCell> cells;
};

// A cell's figures, and how many times as fast it is as the first version that was measured of its size, precision and
// batch: process by process, since those took turns. None where it is that version itself.
struct StudyRow {
  const StudyCell* cell = nullptr;
  const TrainingFigures* figures = nullptr;  // null: not measured
  std::optional<Estimate> speedup;
  int32_t speedup_over = 0;  // the version; 0: none
};

// Pure. In the order of the cells, which must outlive it.
std::vector<StudyRow> study_rows(const TrainingStudyDocument& study);

void to_json(Json& json, const TrainingStudyDocument& study);

// Errors: as damaged_sweep, also for a cell that is none.
Result<TrainingStudyDocument> read_training_study(const Json& json, std::string_view source);

}  // namespace aaco
