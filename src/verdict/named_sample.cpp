// SPDX-License-Identifier: MIT
#include "verdict/named_sample.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <span>
#include <utility>

#include "base/json/json.h"
#include "base/statistics.h"
#include "verdict/compare.h"

namespace aaco {

NamedSample measured_sample(std::string name, const std::string& created_utc, std::vector<double> process_medians_ns) {
  NamedSample named{.name = std::move(name), .sample = {}, .losses = {}};
  RunSample& sample = named.sample;
  sample.created_utc = created_utc;
  sample.status = SessionStatus::kComplete;
  sample.phase = "measure";
  sample.iterations = static_cast<int64_t>(process_medians_ns.size());
  sample.stationary_processes = sample.iterations;
  sample.process_medians_ns = std::move(process_medians_ns);
  return named;
}

std::string loss_difference(const NamedSample& baseline, const NamedSample& test) {
  const size_t steps = std::min(baseline.losses.size(), test.losses.size());
  if (steps == 0 || !configuration_differences(baseline.sample.configuration, test.sample.configuration).empty()) {
    return "";
  }
  const double baseline_loss = *mean(std::span(baseline.losses).first(steps));
  const double test_loss = *mean(std::span(test.losses).first(steps));
  // Written so that a loss that is no number differs.
  if (std::abs(test_loss - baseline_loss) <= kLossTolerance * std::abs(baseline_loss)) {
    return "";
  }
  return fmt::format("the mean loss of the first {} steps is {:.4g} in the baseline and {:.4g} in the test", steps,
                     baseline_loss, test_loss);
}

void expect_same_training(const NamedSample& baseline, NamedSample& test) {
  const std::string difference = loss_difference(baseline, test);
  if (!difference.empty() && test.sample.status == SessionStatus::kComplete) {
    test.sample.status = SessionStatus::kInvalid;
    test.sample.status_reason = difference + ": they did not train alike";
  }
}

void to_json(Json& json, const NamedSample& value) {
  json = value.sample;
  if (!value.name.empty()) {
    json["name"] = value.name;
  }
  if (!value.losses.empty()) {
    json["losses"] = value.losses;
  }
}

Result<NamedSample> parse_named_sample(const Json& json, const std::string& source) {
  NamedSample named;
  AACO_ASSIGN(named.sample, parse_run_sample(json, source));
  AACO_ASSIGN(named.name, from_json_value<std::string>(json.value("name", Json("")), source));
  AACO_ASSIGN(named.losses, from_json_value<std::vector<double>>(json.value("losses", Json::array()), source));
  return named;
}

}  // namespace aaco
