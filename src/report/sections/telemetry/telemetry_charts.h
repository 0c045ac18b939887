// SPDX-License-Identifier: MIT
// Small plots, one below the other on one time axis.
#pragma once

#include <string>
#include <vector>

#include "report/sections/sections.h"

namespace aaco::report {

struct TimeAxis {
  int64_t origin_ns = 0;
  double end_ns = 1;
  std::vector<plot::Annotation> processes;

  double at(int64_t t_ns) const { return static_cast<double>(t_ns - origin_ns); }
};

plot::Chart small_chart(const TimeAxis& axis, const std::string& id, const std::string& title);

// A chart of those series that this machine gave; what it gave nothing of is named in `missing`.
void add_chart(Section& section, const TimeAxis& axis, plot::Chart chart, std::vector<plot::Series> series,
               std::vector<std::string>& missing);

}  // namespace aaco::report
