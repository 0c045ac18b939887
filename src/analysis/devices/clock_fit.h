// SPDX-License-Identifier: MIT
// Another clock as a straight line of the session clock, from paired readings:
//
//   session = reference + (1 + drift) * (source - source of the first pair)
//
// The line is that of least squares through the middles of the pairs, each by the inverse square of its width. The
// bound holds what no pair can contradict: at each pair the session clock stood within the pair's width, so the line
// errs there by at most the distance of its value from the farther end. The largest of these is the bound, between the
// pairs too as long as both clocks ran evenly. A line that misses the whole span of a pair shows that they did not: a
// clock was set, or its rate was changed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "record/host/clock_pair.h"

namespace aaco {

struct ClockFit {
  std::string clock;
  int64_t pairs = 0;
  int64_t span_ns = 0;              // of session time, from the first pair to the last
  std::optional<double> drift_ppm;  // how much faster the session clock runs; none of fewer than two pairs
  double bound_ns = 0;
  int64_t missed_pairs = 0;  // whose whole span the line misses: the clock was set, or its rate changed

  // Session time of a time of that clock; within bound_ns between the first pair and the last.
  double to_session_ns(int64_t source_ns) const;

  int64_t first_source_ns = 0;
  double reference_ns = 0;  // session time at first_source_ns, by the line
};

// None without a pair. Pairs of one clock, in any order. Pure.
std::optional<ClockFit> fit_clock(std::span<const ClockPairRow> pairs);

// Each clock of the pairs, in the order of their names.
std::vector<ClockFit> fit_clocks(std::span<const ClockPairRow> pairs);

}  // namespace aaco
