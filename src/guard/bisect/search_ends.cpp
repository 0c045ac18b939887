// SPDX-License-Identifier: MIT
#include "guard/bisect/search_ends.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace aaco {

namespace {

constexpr double kEndLevel = 0.01;  // for calling bad slower than good wrongly, over all looks together
constexpr size_t kEndShare = 4;     // each end may take this part of all measurements

}  // namespace

std::vector<double> changes_of(const EndValues& ends) {
  std::vector<double> changes;
  for (size_t i = 0; i < std::min(ends.good.size(), ends.bad.size()); ++i) {
    changes.push_back(ends.bad[i] - ends.good[i]);
  }
  return changes;
}

std::vector<Look> looks_at_ends(const BisectLimits& limits) {
  const size_t most = std::max(kEndMeasurements, limits.measurements / kEndShare);
  return plan_looks(static_cast<int64_t>(most), kEndLevel, 0);
}

bool bad_is_slower(const EndValues& ends, double level) {
  const double confidence = 1 - level;
  const std::optional<RatioEstimate> ratio = ratio_of_logarithms(ends.good, ends.bad, confidence);
  const std::optional<Interval> of_pairs = quantile_interval(changes_of(ends), 0.5, confidence);
  return (ratio && ratio->interval.low > 1) || (of_pairs && of_pairs->low > 0);
}

std::optional<RatioEstimate> ratio_of_logarithms(std::vector<double> fast, std::vector<double> slow,
                                                 double confidence) {
  for (std::vector<double>* side : {&fast, &slow}) {
    std::ranges::transform(*side, side->begin(), [](double logarithm) { return std::exp(logarithm); });
  }
  return welch_log_ratio(fast, slow, confidence);
}

}  // namespace aaco
