// SPDX-License-Identifier: MIT
// One prepared series as SVG elements.
#pragma once

#include <string>

#include "report/plot/prepare.h"

namespace aaco::plot {

// The plot area and what maps into it.
struct Frame {
  Scale x, y;
  double left = 0, right = 0, top = 0, bottom = 0;
};

struct SeriesMarks {
  std::string marks;     // inside the plot area; to be clipped to it
  std::string over;      // over everything: text, triangles at the edge
  bool reduced = false;  // drawn as lowest, median and highest per pixel column
};
SeriesMarks draw_series(const Series& series, const Frame& frame);

}  // namespace aaco::plot
