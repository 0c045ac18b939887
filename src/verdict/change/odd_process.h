// SPDX-License-Identifier: MIT
// A process far from the others of its side moves a mean of logarithms, and with it a verdict's sign: one of five at
// three times the latency counts for -20 %. Such a process is named, and the sides are then compared by ranks
// (Hodges and Lehmann's estimate, the exact interval of Mann and Whitney), which it cannot move far.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/statistics.h"

namespace aaco {

// Indices of the values that lie far from the rest: at one end, at most a quarter of all (one of three), beyond a gap
// of 5 % and of three times the range of the rest (six times with three others, twenty times with two). Values
// positive.
std::vector<size_t> odd_values(std::span<const double> values);

// Both on the scale of logarithms, `d` being ln(test / baseline).
struct RankChange {
  double d = 0;                      // Hodges and Lehmann: median of all differences test - baseline
  std::optional<Interval> interval;  // none: with so few values no ranks are sure enough
};
// `tail`: probability on either side of the interval, at most. Values positive, at least one a side.
RankChange rank_change(std::span<const double> baseline, std::span<const double> test, double tail);

// p of the exact one-sided test that test / baseline lies above `ratio`; a tie counts against it.
double rank_p_above(std::span<const double> baseline, std::span<const double> test, double ratio);

// Fewest values a side with which ranks decide although this share of the values is odd; none: more than 1000.
std::optional<int64_t> values_needed(double odd_share, double tail);

}  // namespace aaco
