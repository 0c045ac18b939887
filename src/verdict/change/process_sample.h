// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/json/json_fwd.h"

namespace aaco {

// The iterations of one process, in so few numbers that a baseline file holds them.
struct ProcessSample {
  int64_t iterations = 0;
  double mean_ns = 0;
  double sigma_ns = 0;  // standard deviation of its iterations; 0 of one iteration
  std::optional<double>
      elapsed_ns;  // per inference: first start to last end (analysis/model_run/profile/process_series.h)
  std::vector<double>
      quantiles_ns;  // at 0, 0.5, ..., 100 %: the nearest iteration, so that none lies between two modes
};
inline constexpr size_t kSampleQuantiles = 201;

// Of one iteration at least, all positive.
ProcessSample make_process_sample(const std::vector<double>& latencies_ns, std::optional<double> elapsed_ns);

// Written by a process that measured: quantiles rise, and the mean lies between the first and the last.
bool is_plausible_sample(const ProcessSample& process);

void to_json(Json& json, const ProcessSample& value);
void from_json(const Json& json, ProcessSample& value);

}  // namespace aaco
