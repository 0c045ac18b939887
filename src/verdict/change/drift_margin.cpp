// SPDX-License-Identifier: MIT
#include "verdict/change/drift_margin.h"

#include <algorithm>

namespace aaco {

DriftMargin drift_margin(const DriftSource& source, std::span<const double> baseline, std::span<const double> test,
                         double unmeasured, bool exact) {
  if (source.interleaved) {
    return {};
  }
  const double spread = spread_of(baseline, test);
  const double slowdown = 1 / (1 - std::clamp(source.others_share, 0.0, 0.9));
  if (source.measured) {
    // Of tails as much more than of medians as the constants have it.
    const double margin = *source.measured * unmeasured / kUnmeasuredDrift;
    return {(1 + margin) * slowdown - 1, margin};
  }
  if (exact) {
    return {};
  }
  return {(1 + std::max(unmeasured, spread)) * slowdown - 1, spread};
}

double most_confidence(const DriftSource& source, const DriftMargin& margin) {
  if (!(margin.of_change > 0)) {
    return 1;
  }
  return source.measured ? 0.975 : 0.99;
}

}  // namespace aaco
