// SPDX-License-Identifier: MIT
#include <algorithm>
#include <fmt/format.h>

#include "base/json/json.h"
#include "base/statistics.h"
#include "guard/judgement/check_request.h"
#include "observe/environment.h"
#include "verdict/drift.h"
#include "verdict/pair_comparisons.h"

namespace aaco {

namespace {

const NamedSample* sample_named(const std::vector<NamedSample>& samples, const std::string& name) {
  const auto sample = std::ranges::find(samples, name, &NamedSample::name);
  return sample == samples.end() ? nullptr : &*sample;
}

// As it was given: a sample holds times, which are one over a rate.
std::optional<double> median_of(const NamedSample* sample) {
  if (sample == nullptr) {
    return std::nullopt;
  }
  std::vector<double> values = sample->sample.process_medians_ns;
  if (value_kind_of(sample->sample.configuration) == ValueKind::kRate) {
    std::ranges::transform(values, values.begin(), rate_of_time);
  }
  return median(std::move(values));
}

}  // namespace

Result<CheckEnd> check_values(const CheckRequest& request, const std::vector<GivenValue>& values) {
  const JsonValue environment = capture_environment(EnvironmentOptions());
  AACO_ASSIGN(const GuardStore store, GuardStore::open(request.store));
  CheckEnd end;
  end.entry = value_entry(values, environment, request.labels);
  GuardAnswer& answer = end.answer;
  answer.test = end.entry.record;
  answer.min_effect = request.min_effect;
  AACO_TRY(choose_baseline(store, answer.test, answer));
  if (!answer.baseline) {
    return end;
  }
  AACO_ASSIGN(const std::vector<NamedSample> baseline, recorded_samples(*answer.baseline));
  AACO_ASSIGN(const std::vector<NamedSample> test, recorded_samples(answer.test));
  CompareOptions options;
  options.min_effect = request.min_effect;
  AACO_TRY(add_measured_drift(environment, options));
  PairComparisons compared = compare_pairs(baseline, test, options);
  for (PairComparison& pair : compared.pairs) {
    JudgedSample& sample = answer.samples.emplace_back();
    sample.name = pair.configuration;
    sample.comparison = std::move(pair.comparison);
    const NamedSample* const newer = sample_named(test, sample.name);
    sample.baseline_value = median_of(sample_named(baseline, sample.name));
    sample.test_value = median_of(newer);
    if (newer != nullptr) {
      sample.kind = value_kind_of(newer->sample.configuration);
    }
    if (sample.kind == ValueKind::kRate && sample.comparison.interval) {
      sample.comparison.reason = "compared as the time for each: " + sample.comparison.reason;
    }
  }
  // A value that one side lacks is neither better nor worse.
  for (const std::string& unpaired : compared.unpaired) {
    Comparison& comparison = answer.samples.emplace_back().comparison;
    comparison.verdict = Verdict::kInconclusive;
    comparison.reason = unpaired;
    comparison.remedy = "Give the same names on both sides; aaco guard record keeps a new one.";
  }
  mark_unconfirmed(request,
                   {"aaco did not measure these values and cannot measure them again",
                    "let aaco time the two programs: aaco guard check --against OLD -- COMMAND"},
                   answer);
  return end;
}

}  // namespace aaco
