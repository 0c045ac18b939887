// SPDX-License-Identifier: MIT
// Sessions of sessions: the same thing measured at several points.
#pragma once

#include "kind/kind.h"

namespace aaco {

extern const Kind kModelSweep;     // a model over batch sizes; the iterations are in the sessions of its points
extern const Kind kQueueSweep;     // a workload over numbers of streams
extern const Kind kTrainingStudy;  // trainings over versions and sizes; the steps are in the sessions of its trainings
extern const Kind kShardedSweep;   // sharded trainings over changes of a key; the steps are in their sessions

}  // namespace aaco
