// SPDX-License-Identifier: MIT
#include "report/counted_points.h"

#include <fmt/format.h>

namespace aaco::report {

plot::Axis count_axis(const std::string& title, std::span<const double> counts) {
  plot::Axis axis{.title = title, .logarithmic = true};
  axis.ticks.assign(counts.begin(), counts.end());
  if (!counts.empty()) {
    axis.min = counts.front() / 1.15;
    axis.max = counts.back() * 1.15;
  }
  return axis;
}

void mark_saturation(plot::Chart& chart, const std::optional<int64_t>& count) {
  if (count) {
    chart.annotations.push_back({.kind = plot::Annotation::Kind::kVerticalLine,
                                 .from = static_cast<double>(*count),
                                 .text = fmt::format("saturated from {}", *count),
                                 .colour = 1});
  }
}

void add_counted_points(plot::Chart& chart, std::span<const CountedPoint> points, const std::string& name, int colour) {
  plot::Series line{.mark = plot::Mark::kLine, .colour = colour};
  plot::Series marks{.name = name, .mark = plot::Mark::kPoints, .colour = colour};
  for (const CountedPoint& point : points) {
    for (plot::Series* series : {&line, &marks}) {
      series->x.push_back(point.count);
      series->y.push_back(point.value);
      series->low.push_back(point.interval ? point.interval->low : point.value);
      series->high.push_back(point.interval ? point.interval->high : point.value);
    }
  }
  chart.series.push_back(std::move(line));
  chart.series.push_back(std::move(marks));
}

}  // namespace aaco::report
