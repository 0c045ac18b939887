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

ValueKind kind_of(const NamedSample* sample) {
  return sample == nullptr ? ValueKind::kTime : value_kind_of(sample->sample.configuration.work);
}

std::optional<double> median_of(const NamedSample* sample) {
  if (sample == nullptr) {
    return std::nullopt;
  }
  std::vector<double> values = sample->sample.process_medians_ns;
  const ValueKind kind = kind_of(sample);
  std::ranges::transform(values, values.begin(), [&](double value) { return as_given(kind, value); });
  return median(std::move(values));
}

}  // namespace

Result<CheckEnd> check_values(const CheckRequest& request, const std::vector<GivenValue>& values) {
  const JsonValue environment = capture_environment(EnvironmentOptions());
  const GuardStore store = GuardStore::for_reading(request.store);
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
    const NamedSample* const older = sample_named(baseline, sample.name);
    const NamedSample* const newer = sample_named(test, sample.name);
    sample.baseline_kind = kind_of(older);
    sample.kind = kind_of(newer);
    sample.baseline_value = median_of(older);
    sample.test_value = median_of(newer);
    if (sample.kind == ValueKind::kRate && sample.comparison.interval) {
      sample.comparison.reason = "compared as the time for each: " + sample.comparison.reason;
    }
  }
  add_one_sided(compared.unpaired, "Give the same names on both sides; aaco guard record keeps a new one.",
                answer.samples);
  mark_unconfirmed(request,
                   {"aaco did not measure these values and cannot measure them again",
                    "let aaco time the two programs: aaco guard check --against OLD -- COMMAND"},
                   answer);
  return end;
}

}  // namespace aaco
