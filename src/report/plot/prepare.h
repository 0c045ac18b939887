// SPDX-License-Identifier: MIT
// Series as they are drawn: samples binned and sorted, areas stacked, scales chosen.
#pragma once

#include <vector>

#include "report/plot/chart.h"

namespace aaco::plot {

// Maps data to pixels.
struct Scale {
  double low = 0;
  double high = 1;
  bool logarithmic = false;
  double from = 0;  // pixel of low
  double to = 1;    // pixel of high

  double at(double value) const;
  bool covers(double value) const { return value >= low && value <= high; }
};

// Bin edges common to several samples: the smallest of their widths by Freedman and Diaconis (2 IQR / cbrt n), 8 to 80
// bins over [low, high].
std::vector<double> histogram_edges(const std::vector<std::vector<double>>& samples, double low, double high);

// Histogram: x becomes the edges, y the share of samples in each bin (those beyond the axis stay in the denominator).
// ECDF: x sorted, y the share of samples at or under it, at most 400 points with both ends. Stacked area: low and high.
// Others unchanged.
std::vector<Series> prepare(const Chart& chart);

// The range of the data of prepared series along x or y, horizontal lines and bands included, with the axis's own
// limits and a margin; never empty.
Scale scale_of_x(const Chart& chart, const std::vector<Series>& prepared);
Scale scale_of_y(const Chart& chart, const std::vector<Series>& prepared);

}  // namespace aaco::plot
