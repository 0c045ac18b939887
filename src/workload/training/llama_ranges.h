// SPDX-License-Identifier: MIT
// A training step's phases and layers as ranges for profilers.
#pragma once

#include <vector>

#include "workload/command_ranges.h"
#include "workload/training/step_writer.h"

namespace aaco {

// "forward", "backward", "optimizer", and within them "layer 0" and so on. An update that is done beside the backward
// pass is enqueued between its commands, and its range stands there.
CommandRanges llama_ranges(const std::vector<StepLabel>& labels);

}  // namespace aaco
