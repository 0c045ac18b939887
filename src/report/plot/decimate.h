// SPDX-License-Identifier: MIT
// Long series cut down to what a picture can show, extremes kept.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace aaco::plot {

// Indices of the points to draw of a line: of each of `columns` equal parts of [x_low, x_high], the first, the lowest,
// the highest and the last, in order. `x` ascends. Points that are not finite are left out, and so are those beyond the
// range but the nearest on each side.
std::vector<size_t> decimate_line(std::span<const double> x, std::span<const double> y, double x_low, double x_high,
                                  size_t columns);

// The points that fall in one column.
struct ColumnSummary {
  double x = 0;  // middle of the column
  double low = 0;
  double median = 0;
  double high = 0;
};

// One summary per column that has points; points in any order.
std::vector<ColumnSummary> summarize_columns(std::span<const double> x, std::span<const double> y, double x_low,
                                             double x_high, size_t columns);

}  // namespace aaco::plot
