// SPDX-License-Identifier: MIT
// What must hold of a version before any speed of it is said: that it is a training, and the right one.
#pragma once

#include <vector>

#include "engine/activity/executed_kernels.h"
#include "kind/training/worker/prepared_training.h"

namespace aaco {

// On the device, with the fusions, precision and dispatch of the request: its streams do not race; every operation
// computes what the CPU's does, at a small shape and at the run's own; every parameter gets a gradient; the gradients
// are those of the fp64 oracle, at a small shape, at a ragged one and with heads of the run's own size; a step of the
// run's own size is that of another version in fp32; the losses of 50 steps are the oracle's, and fall; the backward
// pass computes about twice what the forward pass does; memory is what a closed form says. All are tried, whatever
// fails; those of the run's own size are not known where their arrays do not fit on the device beside the training;
// libraries' workspaces that do not are an error. Three more, of the device's records and of the roof, need processes
// of their own: training_run.cpp. Errors: the device's.
Result<std::vector<TrainingGate>> check_gates(PreparedTraining& prepared, const TrainingRequest& request,
                                              ExecutedKernels& kernels);

}  // namespace aaco
