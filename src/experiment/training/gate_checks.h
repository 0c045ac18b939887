// SPDX-License-Identifier: MIT
// What must hold of a version before any speed of it is said: that it is a training, and the right one.
#pragma once

#include <vector>

#include "experiment/training/prepared_training.h"

namespace aaco {

// On the device, with the fusions, precision and dispatch of the request: its streams do not race; every operation
// computes what the CPU's does; every parameter gets a gradient; the gradients are those of the fp64 oracle, at a small
// shape and at a ragged one; the losses of 50 steps are the oracle's, and fall; the backward pass computes about twice
// what the forward pass does; memory is what a closed form says. All are tried, whatever fails. Two more, of the
// device's records and of the roof, need processes of their own: training_run.cpp. Errors: the device's.
Result<std::vector<TrainingGate>> check_gates(PreparedTraining& prepared, const TrainingRequest& request);

}  // namespace aaco
