// SPDX-License-Identifier: MIT
// A run beside one of version 1 that was recorded before: `aaco llama run --compare-with-v1`.
#pragma once

#include <string>

#include "base/result.h"
#include "kind/training/document/training_ladder.h"

namespace aaco {

// `name`: a file of --output, a session's folder, or the id of one. Errors: kUsage where it is no single training of
// version 1 that was measured to its end; kInvalid where nothing may be said of its speed.
Result<TrainingRunDocument> load_first_version(const std::string& sessions, const std::string& name);

// Before anything is measured. Errors: kUsage where `request` is another training, and those of complete_request().
Result<void> expect_same_training(const TrainingRunDocument& first, const TrainingRequest& request);

// Errors: kUsage where both are not the same training, or ran on different devices.
Result<TrainingLadder> beside_first(const TrainingRunDocument& first, const TrainingRunDocument& run);

}  // namespace aaco
