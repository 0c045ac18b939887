// SPDX-License-Identifier: MIT
// Whether the bad end of a search is slower than the good one, before anything between them is measured. Pure.
#pragma once

#include <optional>
#include <vector>

#include "base/statistics.h"
#include "guard/bisect/commit_posterior.h"
#include "guard/sequential/looks.h"

namespace aaco {

// Natural logarithms of what was measured of both ends in turns. Value i of both is a pair, one right after the other.
struct EndValues {
  std::vector<double> good;
  std::vector<double> bad;
};

// Bad less good, of each whole pair.
std::vector<double> changes_of(const EndValues& ends);

// When both are compared: each may take a part of all measurements.
std::vector<Look> looks_at_ends(const BisectLimits& limits);

// By the two levels, or, where the machine's speed changes meanwhile, by the median of the pairs (the interval of order
// statistics, whatever pairs are distributed like): half of the level for each.
bool bad_is_slower(const EndValues& ends, double level);

// Of slow over fast values, which are given as logarithms: as welch_log_ratio.
std::optional<RatioEstimate> ratio_of_logarithms(std::vector<double> fast, std::vector<double> slow, double confidence);

}  // namespace aaco
