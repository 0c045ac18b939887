// SPDX-License-Identifier: MIT
#include "kind/queue_run/analysis/signed_figure.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "analysis/model_run/latency.h"

namespace aaco {

namespace {

// Over processes, about the pooled quantile, by how far the processes' own lie apart; none where one has too few values
// for its own.
std::optional<Interval> tail_interval(std::span<const std::vector<double>> by_process, double pooled, double q,
                                      int64_t needed) {
  std::vector<double> of_processes;
  for (const std::vector<double>& values : by_process) {
    if (!values.empty() && static_cast<int64_t>(values.size()) < needed) {
      return std::nullopt;
    }
    if (!values.empty()) {
      of_processes.push_back(*quantile(values, q));
    }
  }
  const auto half = half_width_over_processes(of_processes);
  return half ? std::optional(Interval{pooled - *half, pooled + *half}) : std::nullopt;
}

}  // namespace

std::optional<Estimate> signed_estimate(std::span<const double> process_values) {
  if (process_values.empty()) {
    return std::nullopt;
  }
  Estimate estimate{*median(process_values), std::nullopt};
  if (const auto half = half_width_over_processes(process_values)) {
    const double centre = *mean(process_values);
    estimate.interval = Interval{std::min(centre - *half, estimate.value), std::max(centre + *half, estimate.value)};
  }
  return estimate;
}

MetricValue figure_over_processes(std::string id, std::span<const double> process_values) {
  const auto estimate = signed_estimate(process_values);
  if (!estimate) {
    return no_data(std::move(id), "no process measured it");
  }
  if (!estimate->interval) {
    return {std::move(id),
            estimate->value,
            std::nullopt,
            {QualityKind::kInconclusive,
             fmt::format("needs {} processes, has {}", kLeastProcesses, process_values.size())}};
  }
  return measured(std::move(id), estimate->value, estimate->interval);
}

MetricValue invalid(std::string id, const std::string& reason) {
  return {std::move(id), std::nullopt, std::nullopt, {QualityKind::kInvalid, reason}};
}

std::optional<double> paired_median_difference(std::span<const double> first, std::span<const double> second) {
  if (first.size() != second.size()) {
    return std::nullopt;
  }
  std::vector<double> differences;
  differences.reserve(first.size());
  for (size_t i = 0; i < first.size(); ++i) {
    differences.push_back(second[i] - first[i]);
  }
  return median(differences);
}

SignedDistribution signed_distribution(std::span<const std::vector<double>> by_process) {
  SignedDistribution distribution;
  std::vector<double> pooled;
  for (const std::vector<double>& values : by_process) {
    if (!values.empty()) {
      distribution.process_medians.push_back(*median(values));
      pooled.insert(pooled.end(), values.begin(), values.end());
    }
  }
  distribution.processes = static_cast<int64_t>(distribution.process_medians.size());
  distribution.values = static_cast<int64_t>(pooled.size());
  distribution.p50 = signed_estimate(distribution.process_medians);
  distribution.mean = mean(pooled);
  distribution.min = quantile(pooled, 0);
  distribution.max = quantile(pooled, 1);
  if (distribution.values >= kIterationsForP95) {
    distribution.p95 = quantile(pooled, 0.95);
    distribution.p95_interval = tail_interval(by_process, *distribution.p95, 0.95, kIterationsForP95);
  }
  if (distribution.values >= kIterationsForP99) {
    distribution.p99 = quantile(pooled, 0.99);
    distribution.p99_interval = tail_interval(by_process, *distribution.p99, 0.99, kIterationsForP99);
  }
  return distribution;
}

MetricValue tail_figure(std::string id, const SignedDistribution& distribution) {
  if (!distribution.p99) {
    return no_data(std::move(id), fmt::format("needs {} values, has {}", kIterationsForP99, distribution.values));
  }
  return measured(std::move(id), *distribution.p99, distribution.p99_interval);
}

}  // namespace aaco
