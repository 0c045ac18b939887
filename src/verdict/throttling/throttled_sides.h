// SPDX-License-Identifier: MIT
// A comparison is invalid where clocks were held down while a side was measured (analysis/devices/throttling.h).
#pragma once

#include <string>

#include "verdict/run_sample.h"

namespace aaco {

// What to do, in words that name no flag: each command adds its own.
inline constexpr const char* kThrottlingRemedy =
    "Lock the clocks where they can be held (nvidia-smi -lgc, rocm-smi --setperfdeterminism), cool the machine or "
    "raise "
    "the power cap, and measure both sides again.";
inline constexpr const char* kCrowdedRemedy =
    "Measure both sides in turns: in a crowd the machine's speed changes between two sessions.";

// Which sides were measured so; empty where none is known to have been. Both sides held alike are no fair comparison
// either: how deep the clocks fall depends on the room and on what ran before.
std::string throttled_sides(const RunSample& baseline, const RunSample& test);

}  // namespace aaco
