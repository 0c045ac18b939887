// SPDX-License-Identifier: MIT
// A change between pairs that were measured in turns, by the ranks of their differences. On a machine whose speed
// jumps, most pairs differ by a percent and some by a factor of two, because a jump came between their sides. Such
// pairs make Student's interval so wide that no number of pairs decides a change of 3 %. Ranks count them as one pair
// each.
//
// Where the sides do not differ, a pair's difference is as likely positive as negative (both sides take turns at being
// first). That is all that Wilcoxon's signed ranks (1945) ask for. The estimate is Hodges and Lehmann's (1963): the
// median of all means of two differences, whose order statistics give the interval.
//
// All differences are ln(test / baseline), and so is every shift.
#pragma once

#include <cstddef>
#include <span>

#include "verdict/change/odd_process.h"

namespace aaco {

// Whether the differences spread by more than half again as much as their middle says: some pairs lie far out. It rests
// on how far they lie, not on which side, so that choosing ranks by it makes no false alarm likelier.
bool has_far_pairs(std::span<const double> differences);

// With fewer pairs no ranks are sure enough. `tail` in (0, 1).
size_t fewest_ranked_pairs(double tail);

// `tail`: probability on either side of the interval, at most. At least one difference.
RankChange signed_rank_change(std::span<const double> differences, double tail);

// p of the one-sided test that the differences lie above `shift`; what equals it counts against it.
double signed_rank_p_above(std::span<const double> differences, double shift);

}  // namespace aaco
