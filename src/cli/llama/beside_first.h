// SPDX-License-Identifier: MIT
// A run beside one of version 1 that was recorded before: `aaco llama run --compare-with-v1`.
#pragma once

#include <string>

#include "base/result.h"
#include "kind/training/document/training_ladder.h"

namespace aaco {

// `name`: a file of --output, a session's folder, or the id of one. Errors: kUsage where it is no single training of
// version 1 that was measured to its end.
Result<TrainingRunDocument> load_first_version(const std::string& sessions, const std::string& name);

// Errors: kUsage where both are not the same training.
Result<TrainingLadder> beside_first(const TrainingRunDocument& first, const TrainingRunDocument& run);

}  // namespace aaco
