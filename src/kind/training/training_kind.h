// SPDX-License-Identifier: MIT
// A training of a Tiny LLaMA.
#pragma once

#include "kind/kind.h"
#include "kind/training/document/training_run_document.h"

namespace aaco {

extern const Kind kTraining;

// The document of a training's session. Errors: kUsage for another, or a damaged file.
Result<TrainingRunDocument> load_training(const std::filesystem::path& bundle);

}  // namespace aaco
