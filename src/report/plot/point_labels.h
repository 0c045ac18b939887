// SPDX-License-Identifier: MIT
// Names beside points, placed so that none lies over another.
#pragma once

#include <string>
#include <vector>

#include "report/plot/chart.h"
#include "report/plot/marks.h"

namespace aaco::plot {

// `Series::values` of the points of all series, in their order: to the right, left, above or below. Where a name finds
// no room it is left out; the point keeps its tooltip.
std::string draw_point_labels(const std::vector<Series>& prepared, const Frame& frame);

}  // namespace aaco::plot
