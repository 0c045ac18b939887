// SPDX-License-Identifier: MIT
#include "kind/sweep/sharded_sweep_samples.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace aaco {

std::vector<NamedSample> samples_of(const ShardedSweep& sweep) {
  std::vector<NamedSample> samples;
  for (const JudgedSweepPoint& judged : sweep.points) {
    NamedSample named = measured_sample(judged.point.change.empty() ? "as it is" : judged.point.change,
                                        sweep.created_utc, judged.point.step_ns);
    if (!judged.point.failure.empty()) {
      named.sample.status = SessionStatus::kFailed;
      named.sample.status_reason = judged.point.failure;
    }
    named.sample.configuration.model_name = fmt::format("{} {}", sweep.config, fmt::join(sweep.overrides, " "));
    named.sample.configuration.backend = fmt::format("{}", fmt::join(sweep.devices, ", "));
    samples.push_back(std::move(named));
  }
  return samples;
}

Result<std::vector<NamedSample>> sharded_sweep_samples(const Json& document, const std::string& source) {
  AACO_ASSIGN(const ShardedSweep sweep, read_sharded_sweep(document, source));
  return samples_of(sweep);
}

}  // namespace aaco
