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

// A dashed line at the count from which throughput is saturated; none where it is not.
void mark_saturation(plot::Chart& chart, const std::optional<int64_t>& count);

// A line through the points, and whiskers. `name`: in the legend; empty: not there.
void add_counted_points(plot::Chart& chart, std::span<const CountedPoint> points, const std::string& name = "",
                        int colour = 0);

// The chart over the counts of `rows`: each is a tick, and a point where `point_of` has one.
template <class Row, class PointOf>
void add_rows(plot::Chart& chart, const std::vector<Row>& rows, int64_t Row::* count, PointOf point_of) {
  std::vector<double> counts;
  std::vector<CountedPoint> points;
  for (const Row& row : rows) {
    counts.push_back(static_cast<double>(row.*count));
    if (std::optional<CountedPoint> point = point_of(row)) {
      point->count = counts.back();
      points.push_back(*point);
    }
  }
  chart.x = count_axis(chart.x.title, counts);
  add_counted_points(chart, points);
}

}  // namespace aaco::report
