// SPDX-License-Identifier: MIT
#include "report/plot/estimate_bars.h"

#include <utility>

namespace aaco::plot {

void add_estimate_bar(std::string name, const std::optional<Estimate>& estimate, Chart& chart, Series& bars,
                      FormatValue format) {
  if (!estimate) {
    return;
  }
  const Interval around = estimate->interval.value_or(Interval{estimate->value, estimate->value});
  bars.y.push_back(static_cast<double>(chart.y.categories.size()));
  chart.y.categories.push_back(std::move(name));
  bars.x.push_back(estimate->value);
  bars.low.push_back(around.low);
  bars.high.push_back(around.high);
  bars.values.push_back(format(estimate->value));
}

}  // namespace aaco::plot
