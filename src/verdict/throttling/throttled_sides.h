// SPDX-License-Identifier: MIT
// A comparison is invalid where clocks were held down while a side was measured (analysis/devices/throttling.h).
#pragma once

#include <string>

#include "verdict/run_sample.h"

namespace aaco {

inline constexpr const char* kThrottlingRemedy =
    "Lock the clocks where they can be held (nvidia-smi -lgc, rocm-smi --setperfdeterminism), cool the machine or "
    "raise "
    "the power cap, and measure both sides again.";

// Which sides were measured so; empty where none is known to have been. Both sides held alike are no fair comparison
// either: how deep the clocks fall depends on the room and on what ran before.
std::string throttled_sides(const RunSample& baseline, const RunSample& test);

}  // namespace aaco
