// SPDX-License-Identifier: MIT
// Where a series of builds changed its level: a pure function, the same bits for the same input.
//
// The value of a build is the median of its processes, so the noise is what builds differ by, not what processes do.
// A change point is a step: a level that holds for kMinSegment builds before and after. How one is found:
//
//  1. Values further than 3 sigma from a running median over 9 builds are drawn in to 3 sigma: a spike says little.
//  2. In each of a fixed set of nested intervals (seeded binary segmentation: Kovacs, Li, Buehlmann, Munk 2023), the
//     best split is compared with no split (step_evidence.h). Values and their ranks over the series are both tried.
//  3. Splits with enough evidence are taken from the narrowest interval up, each interval for one change (narrowest
//     over threshold: Baranowski, Chen, Fryzlewicz 2019).
//  4. Each change is moved to the best place between its neighbours and tested again; the weakest go first.
//
// Not reported: a slope (a line fits better than a step), a wandering level (both models have autocorrelated noise),
// a step smaller than SeriesOptions::min_change.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/statistics.h"

namespace aaco {

// Builds on each side of a change: a shorter run of odd builds is a spike.
inline constexpr size_t kMinSegment = 5;

struct SeriesOptions {
  // The evidence (twice a log likelihood ratio) that makes a change: base + per_log ln(number of builds). Chosen on
  // simulated noise and on the 20 unlabelled series of SAP's small_2021 (bench/change_points.py), not on TCPD.
  double evidence_base = 6;
  double evidence_per_log = 3;
  double min_change = 0.01;  // fraction of the level before; 0: any size
};

struct ChangePoint {
  size_t build = 0;        // index of the first build at the new level
  size_t first_build = 0;  // the change lies in [first_build, last_build] with 95 % confidence
  size_t last_build = 0;
  double before = 0;  // level: mean with spikes drawn in, in the unit of the values; since the change before this
  double after = 0;   // until the next change
  // after / before, its 95 % interval widened for autocorrelation; none where `before` is not positive.
  std::optional<double> ratio;
  std::optional<Interval> interval;
  double evidence = 0;   // twice a log likelihood ratio
  double threshold = 0;  // what it had to exceed
};

// The value of each build: the median of its processes.
// Errors: kUsage for a build without values or with one that is not finite.
Result<std::vector<double>> build_medians(std::span<const std::vector<double>> builds);

// In order of builds. Values must be finite. Fewer than 2 kMinSegment builds have no change point.
std::vector<ChangePoint> find_change_points(std::span<const double> values, const SeriesOptions& options = {});

}  // namespace aaco
