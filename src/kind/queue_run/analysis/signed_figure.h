// SPDX-License-Identifier: MIT
// Figures that may be zero or negative (gaps, delays, differences), from values by process. Logarithms, as
// base/statistics.h takes them of times, do not exist here: the interval is Student's t on the values themselves.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/metric/metric.h"
#include "base/json/json_fwd.h"
#include "base/statistics.h"

namespace aaco {

// Fewer support no interval.
inline constexpr size_t kLeastProcesses = 3;

// Median of the processes' values; from three on mean +- t(0.975, n - 1) s / sqrt(n), reaching to the median where that
// lies outside. Nothing of no values.
std::optional<Estimate> signed_estimate(std::span<const double> process_values);

// The same as a figure: measured, or inconclusive ("needs 3 processes, has 2"), or no data.
MetricValue figure_over_processes(std::string id, std::span<const double> process_values);
// No value at all, because what was measured is not what the figure means.
MetricValue invalid(std::string id, const std::string& reason);

// Two sides that ran in turns (ABBA): the median of second[i] - first[i]. A drift that is linear in time adds as much
// to half of the pairs as it takes from the others. None where the sides differ in number or are empty.
std::optional<double> paired_median_difference(std::span<const double> first, std::span<const double> second);

// Values by process, pooled but for the median. A tail is stated where there are enough values for it
// (analysis/model_run/latency.h says how many).
struct SignedDistribution {
  int64_t processes = 0;  // with at least one value
  int64_t values = 0;
  std::vector<double> process_medians;
  std::optional<Estimate> p50;  // over processes
  std::optional<double> mean, min, max, p95, p99;
  std::optional<Interval> p95_interval, p99_interval;
};
SignedDistribution signed_distribution(std::span<const std::vector<double>> by_process);
// Its p99 as a figure, or how many values it would need.
MetricValue tail_figure(std::string id, const SignedDistribution& distribution);

void to_json(Json& json, const SignedDistribution& value);
void from_json(const Json& json, SignedDistribution& value);

}  // namespace aaco
