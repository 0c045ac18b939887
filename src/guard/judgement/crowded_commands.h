// SPDX-License-Identifier: MIT
// Commands that were timed in a crowd. Turns let both sides meet the same crowd, but not at the same moments: of 60
// checks of two copies of a program, beside builds that held both of two processors, one said "regressed, 25 % slower"
// after 15 pairs (bench/results, guard-live-crowded.json). The pairs are then no independent draws, which every test
// rests on.
#pragma once

#include <optional>

#include "verdict/compare.h"

namespace aaco {

// Makes a comparison of commands invalid, whatever it says, where other programs held more than kCrowdedShare of the
// machine's processors meanwhile.
void refuse_crowd(std::optional<double> others_share, Comparison& comparison);

}  // namespace aaco
