// SPDX-License-Identifier: MIT
// What a comparison takes of a sharded training: its ranks wait for each other in every step, so that a launch is one
// process, however many ranks it has. As processes of their own they would agree within a percent, and two launches of
// the same code would differ by more.
#pragma once

#include "verdict/run_sample.h"

namespace aaco {

// Of a sample with a process for each rank: that of the slowest alone. Warmed up where all ranks were.
RunSample launch_sample(const RunSample& ranks);

}  // namespace aaco
