// SPDX-License-Identifier: MIT
// When a comparison that goes on may be looked at, and how sure each look must be.
//
// Two sides are measured in interleaved pairs until one of the looks decides. Who looks again and again at the usual
// level is wrong more often: with ten looks at 1 % some 4 % of the time. So each look has a share of the level, and
// all shares together are the level. By Bonferroni's inequality the probability of any false alarm is then at most the
// level, whatever the times are distributed like and however the looks depend on each other, as long as each look
// alone keeps its own. The share of a look is that of the pairs that are new in it: the error that is spent grows in
// proportion to the pairs. Source: Slud and Wei (1982), who fix the error of each look; Lan and DeMets (1983), the
// linear spending function. What it costs beside an exact group-sequential boundary is some more pairs.
//
// The schedule is fixed before the first pair that counts, from the time that the warm-up took. So it does not depend
// on what is compared.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/result.h"

namespace aaco {

struct Look {
  int64_t pairs = 0;             // measured by then
  double level = 0;              // of this look, one side
  double equivalence_level = 0;  // likewise
};

inline constexpr int64_t kFewestPairs = 5;  // before the first look
inline constexpr double kLookGrowth = 1.5;  // from one look to the next

// At 5, 8, 12, 18, ... pairs, each rounded up to a multiple of `batch`, and at the last one. One look where
// `most_pairs` are fewer.
std::vector<Look> plan_looks(int64_t most_pairs, double level, double equivalence_level, int64_t batch = 1);

// What came of it.
struct LooksEnd {
  int64_t pairs = 0;
  size_t looks = 0;
  bool decided = false;
  bool out_of_time = false;  // the budget ended before the last look
};

// `measure(n)`: measures until there are n pairs; false where the time is over. `decide(look)`: whether the look
// decides. Errors: those of either.
Result<LooksEnd> look_until_decided(std::span<const Look> looks, const std::function<Result<bool>(int64_t)>& measure,
                                    const std::function<Result<bool>(const Look&)>& decide);

}  // namespace aaco
