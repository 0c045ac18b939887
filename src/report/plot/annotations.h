// SPDX-License-Identifier: MIT
// The lines and bands of a chart with their names, which keep clear of each other.
#pragma once

#include <string>

#include "report/plot/chart.h"
#include "report/plot/marks.h"

namespace aaco::plot {

// Height that the names of vertical lines and bands take on top of the plot area. Needs `frame`'s x axis only.
double name_strip(const Chart& chart, const Frame& frame);

std::string draw_annotations(const Chart& chart, const Frame& frame);

}  // namespace aaco::plot
