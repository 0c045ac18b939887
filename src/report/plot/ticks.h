// SPDX-License-Identifier: MIT
// Where an axis has its ticks and what they say.
#pragma once

#include <string>
#include <vector>

#include "report/plot/chart.h"

namespace aaco::plot {

struct Ticks {
  std::vector<double> positions;
  std::vector<std::string> labels;
  std::string unit;  // one for the whole axis: "ms", "GB", "%"; on a logarithmic axis the labels carry their own
};

// 1, 2, 5 or 10 times a power of ten: the smallest such step that divides `range` into at most `count` parts.
double nice_step(double range, int count);

// Ticks within [low, high], about `count` of them. `low` < `high`, both positive on a logarithmic axis.
Ticks make_ticks(const Axis& axis, double low, double high, int count);

}  // namespace aaco::plot
