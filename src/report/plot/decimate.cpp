// SPDX-License-Identifier: MIT
#include "report/plot/decimate.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace aaco::plot {

namespace {

size_t column_of(double x, double x_low, double x_high, size_t columns) {
  const double place = (x - x_low) / (x_high - x_low) * static_cast<double>(columns);
  return static_cast<size_t>(std::clamp(place, 0.0, static_cast<double>(columns) - 1));
}

}  // namespace

std::vector<size_t> decimate_line(std::span<const double> x, std::span<const double> y, double x_low, double x_high,
                                  size_t columns) {
  std::vector<size_t> kept;
  const auto flush = [&](std::array<size_t, 4> chosen) {
    std::sort(chosen.begin(), chosen.end());
    kept.insert(kept.end(), chosen.begin(), std::unique(chosen.begin(), chosen.end()));
  };
  const auto inside_from = static_cast<size_t>(std::lower_bound(x.begin(), x.end(), x_low) - x.begin());
  const auto inside_to = static_cast<size_t>(std::upper_bound(x.begin(), x.end(), x_high) - x.begin());
  const size_t start = inside_from > 0 ? inside_from - 1 : 0;
  const size_t end = std::min(inside_to + 1, std::min(x.size(), y.size()));
  bool open = false;
  size_t column = 0;
  std::array<size_t, 4> chosen{};  // first, lowest, highest, last
  for (size_t i = start; i < end; ++i) {
    if (!std::isfinite(x[i]) || !std::isfinite(y[i])) {
      continue;
    }
    const size_t here = column_of(x[i], x_low, x_high, columns);
    if (!open || here != column) {
      if (open) {
        flush(chosen);
      }
      open = true;
      column = here;
      chosen = {i, i, i, i};
      continue;
    }
    chosen[1] = y[i] < y[chosen[1]] ? i : chosen[1];
    chosen[2] = y[i] > y[chosen[2]] ? i : chosen[2];
    chosen[3] = i;
  }
  if (open) {
    flush(chosen);
  }
  return kept;
}

std::vector<ColumnSummary> summarize_columns(std::span<const double> x, std::span<const double> y, double x_low,
                                             double x_high, size_t columns) {
  std::vector<std::vector<double>> members(columns);
  for (size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    if (std::isfinite(y[i]) && x[i] >= x_low && x[i] <= x_high) {
      members[column_of(x[i], x_low, x_high, columns)].push_back(y[i]);
    }
  }
  std::vector<ColumnSummary> summaries;
  const double width = (x_high - x_low) / static_cast<double>(columns);
  for (size_t c = 0; c < columns; ++c) {
    std::vector<double>& values = members[c];
    if (values.empty()) {
      continue;
    }
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    const double median = *middle;
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    summaries.push_back({x_low + (static_cast<double>(c) + 0.5) * width, *low, median, *high});
  }
  return summaries;
}

}  // namespace aaco::plot
