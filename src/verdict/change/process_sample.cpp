// SPDX-License-Identifier: MIT
#include "verdict/change/process_sample.h"

#include <algorithm>
#include <cmath>

#include "base/json/json.h"
#include "base/statistics.h"

namespace aaco {

AACO_JSON_FIELDS(ProcessSample, iterations, mean_ns, sigma_ns, elapsed_ns, quantiles_ns)

namespace {

bool is_time(double value) { return std::isfinite(value) && value >= 0 && value < 1e18; }

}  // namespace

ProcessSample make_process_sample(const std::vector<double>& latencies_ns, std::optional<double> elapsed_ns) {
  ProcessSample sample{.iterations = static_cast<int64_t>(latencies_ns.size()),
                       .mean_ns = *mean(latencies_ns),
                       .sigma_ns = standard_deviation(latencies_ns).value_or(0),
                       .elapsed_ns = elapsed_ns,
                       .quantiles_ns = {}};
  std::vector<double> sorted = latencies_ns;
  std::ranges::sort(sorted);
  for (size_t i = 0; i < kSampleQuantiles; ++i) {
    const double rank = static_cast<double>(i * (sorted.size() - 1)) / static_cast<double>(kSampleQuantiles - 1);
    sample.quantiles_ns.push_back(sorted[static_cast<size_t>(std::lround(rank))]);
  }
  return sample;
}

bool is_plausible_sample(const ProcessSample& process) {
  const std::vector<double>& quantiles = process.quantiles_ns;
  return process.iterations > 0 && quantiles.size() == kSampleQuantiles && quantiles.front() > 0 &&
         std::ranges::all_of(quantiles, is_time) && std::ranges::is_sorted(quantiles) &&
         process.mean_ns >= quantiles.front() * (1 - 1e-9) && process.mean_ns <= quantiles.back() * (1 + 1e-9) &&
         is_time(process.sigma_ns) && is_time(process.elapsed_ns.value_or(1)) && process.elapsed_ns.value_or(1) > 0;
}

}  // namespace aaco
