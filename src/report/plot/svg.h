// SPDX-License-Identifier: MIT
// A chart as SVG. The same chart gives the same bytes; all text is escaped; nothing is loaded from anywhere.
#pragma once

#include <string>

#include "report/plot/chart.h"

namespace aaco::plot {

enum class SvgUse {
  kInline,      // in a page that has the properties and rules of style.h; the page shows title and caption
  kStandAlone,  // a file of its own: title, background and styles inside, light or dark as the viewer prefers
};

std::string render_svg(const Chart& chart, SvgUse use);

}  // namespace aaco::plot
