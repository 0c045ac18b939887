// SPDX-License-Identifier: MIT
// A flame graph: which calls, and what they called, took how much of the whole. The outermost call is on top.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/plot/chart.h"
#include "report/plot/estimate_bars.h"

namespace aaco::plot {

struct WeightedStack {
  std::vector<std::string> frames;  // the outermost first
  double weight = 0;                // of the last frame itself, without what it called
};

// Adds the frames to a chart that has a title and a horizontal axis. Of frames with one parent the heaviest is first.
// Frames below a thousandth of the whole and those deeper than 32 are left out, and the caption says how much they are.
Chart flame_graph(Chart chart, std::span<const WeightedStack> stacks, FormatValue format);

}  // namespace aaco::plot
