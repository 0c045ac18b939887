// SPDX-License-Identifier: MIT
// By how much two sessions of the same thing, recorded one after the other, differ from drift of the machine alone.
#pragma once

#include <optional>
#include <span>

#include "verdict/change/log_change.h"

namespace aaco {

// What a sequential comparison of medians or means is widened by where nobody measured this machine: of 300 pairs of
// sessions of the same thing on an idle machine, 98 % lay within it (bench/results, aa-sequential.json), so that on
// either side 1 % are beyond.
inline constexpr double kUnmeasuredDrift = 0.09;
// Tails move more. A choice: among 16 sessions of one model on two loaded processors, whose medians lay within 0.5 % of
// each other, 90th percentiles lay within 1.5 times each other and 99th within 2.7 times.
inline constexpr double kUnmeasuredDriftP90 = 0.25;
inline constexpr double kUnmeasuredDriftP99 = 1.0;

struct DriftSource {
  bool interleaved = false;
  std::optional<double> measured;  // of medians: 95 % quantile of |ratio - 1|
  // Of the machine's processors, the most that other programs held while a side was measured. Means and tails contain
  // what they took, medians hardly.
  double others_share = 0;
};

// Of a figure whose values over processes are these; `unmeasured`: one of the constants above. Nothing is added to
// values that are `exact`: those that are counted or computed, each the same.
DriftMargin drift_margin(const DriftSource& source, std::span<const double> baseline, std::span<const double> test,
                         double unmeasured, bool exact);

// At most this sure is a change that was told from drift: the measured one is a 95 % quantile, kUnmeasuredDrift one of
// 98 %, half of the rest on either side. 1 where no drift was allowed for.
double most_confidence(const DriftSource& source, const DriftMargin& margin);

}  // namespace aaco
