// SPDX-License-Identifier: MIT
// A change counts as one of the code where it is still there at one clock. Otherwise the processors ran at another
// clock, and that is what is said.
#pragma once

#include <optional>

#include "guard/judgement/guard_answer.h"
#include "verdict/run_sample.h"

namespace aaco {

// What is known of the clocks of two sides.
struct ClockEvidence {
  RunSample baseline;  // both at one clock
  RunSample test;
  double clock_ratio = 1;  // test over baseline
};

// Of sessions: all times of each side, those of its iterations too, multiplied by the mean clock that was recorded
// while it was measured. None on GPUs, whose clock the sample does not hold, and where a side recorded none.
std::optional<ClockEvidence> recorded_clock(const RunSample& baseline, const RunSample& test);

// Judges a change again at one clock, at the same level. A change that is not confirmed makes the sample invalid, where
// the sides are equivalent at one clock; inconclusive where that is open. A slowdown stays `found_slower` then. Without
// evidence the verdict stands, marked "clock unknown". What is no change stays as it is.
void judge_clock(const std::optional<ClockEvidence>& evidence, const CompareOptions& options, JudgedSample& sample);

}  // namespace aaco
