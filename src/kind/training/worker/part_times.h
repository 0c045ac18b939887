// SPDX-License-Identifier: MIT
// How long each part of a step takes with everything else left out.
#pragma once

#include <vector>

#include "kind/training/worker/prepared_training.h"

namespace aaco {

// What the step's operations are, by phase and part, in the order in which they come first.
std::vector<TrainingPart> parts_of(const LlamaTraining& training);

// The same by phase and module of the model.
std::vector<TrainingModule> modules_of(const LlamaTraining& training);

// Each phase, then each part of each phase: its operations alone, one behind the other on one stream, captured as a
// graph where the device is a GPU (else the host's launching would be what is timed). Repeated until
// 30 ms are full (1.5 ms for each of the run's `steps` where it has fewer than 20); the median of five such. Leaves the
// training's memory in no particular state.
Result<std::vector<TrainingPartTime>> time_parts(PreparedTraining& prepared, int64_t steps);
// The same of each module of each phase.
Result<std::vector<TrainingModuleTime>> time_modules(PreparedTraining& prepared, int64_t steps);

}  // namespace aaco
