// SPDX-License-Identifier: MIT
#include "report/plot/prepare.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "base/statistics.h"

namespace aaco::plot {

namespace {

constexpr size_t kEcdfPoints = 400;

// The extent of what was included.
struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  bool logarithmic = false;

  void include(double value) {
    if (std::isfinite(value) && (!logarithmic || value > 0)) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  void include(std::span<const double> values) {
    for (const double value : values) {
      include(value);
    }
  }
  bool empty() const { return low > high; }
};

std::vector<double> finite_sorted(const std::vector<double>& samples) {
  std::vector<double> sorted;
  sorted.reserve(samples.size());
  std::copy_if(samples.begin(), samples.end(), std::back_inserter(sorted), [](double v) { return std::isfinite(v); });
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

Series to_ecdf(Series series) {
  const std::vector<double> sorted = finite_sorted(series.x);
  series.x.clear();
  series.y.clear();
  const size_t points = std::min(sorted.size(), kEcdfPoints);
  for (size_t i = 0; i < points; ++i) {
    const size_t rank = points < 2 ? 0 : i * (sorted.size() - 1) / (points - 1);
    series.x.push_back(sorted[rank]);
    series.y.push_back(static_cast<double>(rank + 1) / static_cast<double>(sorted.size()));
  }
  return series;
}

Series to_histogram(Series series, const std::vector<double>& edges) {
  std::vector<double> shares(edges.size() - 1);
  size_t finite = 0;
  for (const double value : series.x) {
    if (!std::isfinite(value)) {
      continue;
    }
    ++finite;
    if (value < edges.front() || value > edges.back()) {
      continue;
    }
    const auto above = static_cast<size_t>(std::upper_bound(edges.begin(), edges.end(), value) - edges.begin());
    shares[std::min(above, shares.size()) - 1] += 1;
  }
  for (double& share : shares) {
    share /= static_cast<double>(std::max<size_t>(finite, 1));
  }
  series.x = edges;
  series.y = std::move(shares);
  return series;
}

std::vector<double> edges_of(const Chart& chart) {
  std::vector<std::vector<double>> samples;
  Range range;
  for (const Series& series : chart.series) {
    if (series.mark == Mark::kHistogram) {
      samples.push_back(finite_sorted(series.x));
      range.include(samples.back());
    }
  }
  if (range.empty()) {
    return {};
  }
  return histogram_edges(samples, std::max(chart.x.min.value_or(range.low), range.low),
                         std::min(chart.x.max.value_or(range.high), range.high));
}

void stack(std::vector<Series>& all) {
  const Series* below = nullptr;
  for (Series& series : all) {
    if (series.mark != Mark::kStackedArea) {
      continue;
    }
    series.low = below != nullptr ? below->high : std::vector<double>(series.y.size());
    series.low.resize(series.y.size());
    series.high.resize(series.y.size());
    for (size_t i = 0; i < series.y.size(); ++i) {
      series.high[i] = series.low[i] + series.y[i];
    }
    below = &series;
  }
}

Scale finish(const Axis& axis, Range range, double margin) {
  if (axis.from_zero && !axis.logarithmic) {
    range.include(0.0);
  }
  if (range.empty()) {
    range.low = axis.logarithmic ? 1 : 0;
    range.high = axis.logarithmic ? 10 : 1;
  }
  if (axis.logarithmic) {
    range.high = std::max(range.high, range.low * 1.5);
    const double factor = std::pow(range.high / range.low, margin);
    return {axis.min.value_or(range.low / factor), axis.max.value_or(range.high * factor), true, 0, 1};
  }
  double low = axis.min.value_or(range.low);
  double high = axis.max.value_or(range.high);
  // Doubles nearer than this would give ticks that read the same.
  const double least = std::max({std::abs(low), std::abs(high), 1e-300}) * 1e-6;
  if (high - low < least) {
    const double half = low == 0 ? 0.5 : std::abs(low) * 0.05;
    low -= axis.min || (axis.from_zero && low == 0) ? 0 : half;
    high += half;
  }
  const double pad = (high - low) * margin;
  low -= axis.min || (axis.from_zero && low == 0) ? 0 : pad;
  high += axis.max || (axis.from_zero && high == 0) ? 0 : pad;
  return {low, high, false, 0, 1};
}

bool has_bars(const Series& series) { return series.mark == Mark::kBars || series.mark == Mark::kSpans; }

}  // namespace

double Scale::at(double value) const {
  const double place = logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
  return from + place * (to - from);
}

std::vector<double> histogram_edges(const std::vector<std::vector<double>>& samples, double low, double high) {
  if (!(high > low)) {
    const double half = low == 0 ? 0.5 : std::abs(low) * 0.005;
    return {low - half, low + half};
  }
  double wanted = 0;
  for (const std::vector<double>& sample : samples) {
    if (!sample.empty()) {
      const double spread = *quantile(sample, 0.75) - *quantile(sample, 0.25);
      const double width = 2 * spread / std::cbrt(static_cast<double>(sample.size()));
      wanted = std::max(wanted, width > 0 ? std::ceil((high - low) / width) : 80);
    }
  }
  const auto bins = static_cast<size_t>(std::clamp(wanted, 8.0, 80.0));
  std::vector<double> edges;
  for (size_t i = 0; i <= bins; ++i) {
    edges.push_back(i == bins ? high : low + (high - low) * static_cast<double>(i) / static_cast<double>(bins));
  }
  return edges;
}

std::vector<Series> prepare(const Chart& chart) {
  const std::vector<double> edges = edges_of(chart);
  std::vector<Series> prepared;
  for (const Series& series : chart.series) {
    if (series.mark == Mark::kHistogram) {
      prepared.push_back(edges.empty() ? Series{} : to_histogram(series, edges));
    } else if (series.mark == Mark::kEcdf) {
      prepared.push_back(to_ecdf(series));
    } else {
      prepared.push_back(series);
    }
  }
  stack(prepared);
  return prepared;
}

Scale scale_of_x(const Chart& chart, const std::vector<Series>& prepared) {
  Range range{.logarithmic = chart.x.logarithmic};
  bool framed = false;  // lines and areas fill the width; bars and samples get a margin
  for (const Series& series : prepared) {
    range.include(series.x);
    range.include(series.start);
    if (has_bars(series)) {
      range.include(series.low);
      range.include(series.high);
      if (series.start.empty()) {
        range.include(0.0);
      }
    }
    framed = framed || (series.mark != Mark::kBars && series.mark != Mark::kEcdf && series.mark != Mark::kPoints);
  }
  Axis axis = chart.x;
  const bool bars = !prepared.empty() && prepared[0].mark == Mark::kBars;
  axis.from_zero = axis.from_zero || (bars && range.low >= 0);
  return finish(axis, range, framed ? 0 : 0.03);
}

Scale scale_of_y(const Chart& chart, const std::vector<Series>& prepared) {
  if (!chart.y.categories.empty()) {
    return {static_cast<double>(chart.y.categories.size()) - 0.5, -0.5, false, 0, 1};
  }
  Range range{.logarithmic = chart.y.logarithmic};
  Axis axis = chart.y;
  for (const Series& series : prepared) {
    if (series.mark != Mark::kStackedArea) {
      range.include(series.y);
    }
    range.include(series.low);
    range.include(series.high);
    axis.from_zero = axis.from_zero || series.mark == Mark::kHistogram || series.mark == Mark::kStackedArea;
  }
  for (const Annotation& note : chart.annotations) {
    if (note.kind == Annotation::Kind::kHorizontalBand || note.kind == Annotation::Kind::kHorizontalLine) {
      range.include(note.from);
    }
    if (note.kind == Annotation::Kind::kHorizontalBand) {
      range.include(note.to);
    }
  }
  return finish(axis, range, 0.06);
}

bool has_data(const Chart& chart) {
  return std::any_of(chart.series.begin(), chart.series.end(), [](const Series& series) {
    return std::any_of(series.x.begin(), series.x.end(), [](double v) { return std::isfinite(v); });
  });
}

}  // namespace aaco::plot
