// SPDX-License-Identifier: MIT
// Parts of plots over a count that was swept: batch sizes, streams.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/statistics.h"
#include "report/plot/chart.h"

namespace aaco::report {

inline constexpr double kThirdWidth = 340;  // of a chart that shares a row with two others
inline constexpr double kThirdHeight = 230;

// One value at a count, with its interval where there is one.
struct CountedPoint {
  double count = 0;
  double value = 0;
  std::optional<Interval> interval = std::nullopt;
};

// Logarithmic, a tick at each count, room at both ends, so that the whiskers stand clear of the frame.
plot::Axis count_axis(const std::string& title, std::span<const double> counts);

// A line through the points, and whiskers. `name`: in the legend; empty: not there.
void add_counted_points(plot::Chart& chart, std::span<const CountedPoint> points, const std::string& name = "",
                        int colour = 0);

}  // namespace aaco::report
