// SPDX-License-Identifier: MIT
// The measured loop of a training: nothing but the dispatch of a step, the wait for it, and clock reads.
#pragma once

#include "engine/recorder.h"
#include "kind/training/worker/prepared_training.h"

namespace aaco {

// Warm-up and measured steps go to the recorder. An interrupt ends the loop early, without an error. Fills in the
// steps, their times and the losses of all of them, whether they are numbers or not. Errors: what a stream failed at;
// the journal's.
Result<void> measure_training(PreparedTraining& prepared, Recorder& recorder, const TrainingRequest& request,
                              TrainingProcess& process);

}  // namespace aaco
