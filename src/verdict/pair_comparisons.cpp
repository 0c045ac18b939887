// SPDX-License-Identifier: MIT
#include "verdict/pair_comparisons.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/json/json.h"
#include "verdict/diff.h"

namespace aaco {

namespace {

Json comparison_json(const PairComparison& pair) {
  const Comparison& comparison = pair.comparison;
  const auto interval = [](const std::optional<Interval>& value) {
    return value ? Json{value->low, value->high} : Json();
  };
  const auto list = [](const std::vector<ConfigurationDifference>& differences) {
    Json json = Json::array();
    for (const ConfigurationDifference& difference : differences) {
      json.push_back({{"field", difference.field}, {"baseline", difference.baseline}, {"test", difference.test}});
    }
    return json;
  };
  return {{"configuration", pair.configuration},
          {"verdict", verdict_name(comparison.verdict)},
          {"reason", comparison.reason},
          {"ratio", comparison.ratio ? Json(*comparison.ratio) : Json()},
          {"interval", interval(comparison.interval)},
          {"interval_confidence", comparison.interval ? Json(comparison.interval_confidence) : Json()},
          {"p", comparison.change_p ? Json(*comparison.change_p) : Json()},
          {"alone", verdict_name(pair.alone)},
          {"baseline_processes", comparison.baseline_processes},
          {"test_processes", comparison.test_processes},
          {"minimum_detectable", comparison.minimum_detectable ? Json(*comparison.minimum_detectable) : Json()},
          {"processes_needed", comparison.processes_needed ? Json(*comparison.processes_needed) : Json()},
          {"drift", comparison.drift_source},
          {"differences", list(comparison.configuration_differences)},
          {"machine_differences", list(comparison.machine_differences)},
          {"not_recorded", comparison.not_recorded},
          {"warnings", comparison.warnings}};
}

const NamedSample* partner(const std::vector<NamedSample>& samples, const NamedSample& named_sample) {
  const auto match = std::find_if(samples.begin(), samples.end(),
                                  [&](const NamedSample& sample) { return sample.name == named_sample.name; });
  return match == samples.end() ? nullptr : &*match;
}

// A pair of a comparison, before it is judged.
struct Pair {
  const NamedSample* baseline;
  NamedSample test;
};

// What failed after it was measured, as a gate can, counts: it is not left out silently.
bool is_measured(const NamedSample& named) {
  return named.sample.status == SessionStatus::kComplete || !named.sample.process_medians_ns.empty();
}

// How many times as wide as alone the interval at this level is, and how many processes a side take that back.
PairCorrection correction_of(const std::vector<PairComparison>& pairs, int64_t judged, double alone) {
  PairCorrection correction{.pairs = judged, .level = alone};
  const PairComparison* fewest = nullptr;
  for (const PairComparison& pair : pairs) {
    if (pair.comparison.interval && (fewest == nullptr || pair.comparison.degrees < fewest->comparison.degrees)) {
      fewest = &pair;
    }
  }
  if (fewest == nullptr) {
    return correction;
  }
  const Comparison& comparison = fewest->comparison;
  const double level = alone / static_cast<double>(2 * judged);
  const double degrees = comparison.degrees;
  const double now = student_t_quantile(1 - alone, degrees);
  correction.processes = static_cast<int64_t>(std::min(comparison.baseline_processes, comparison.test_processes));
  correction.widening = student_t_quantile(1 - level, degrees) / now;
  const auto processes = static_cast<double>(correction.processes);
  for (correction.processes_needed = correction.processes + 1;; ++correction.processes_needed) {
    const auto n = static_cast<double>(correction.processes_needed);
    const double then = student_t_quantile(1 - level, degrees * (n - 1) / (processes - 1));
    if (then / std::sqrt(n) <= now / std::sqrt(processes)) {
      return correction;
    }
  }
}

// Judges all pairs, so that the level holds for them together.
void judge(const std::vector<Pair>& pairs, CompareOptions options, PairComparisons& result) {
  std::vector<double> p_values;
  std::vector<size_t> tested;
  for (size_t i = 0; i < pairs.size(); ++i) {
    const Comparison alone = compare(pairs[i].baseline->sample, pairs[i].test.sample, options);
    result.pairs.push_back({pairs[i].baseline->name, alone, alone.verdict});
    if (alone.change_p) {
      p_values.push_back(*alone.change_p);
      tested.push_back(i);
    }
  }
  if (tested.size() < 2) {
    return;
  }
  result.correction = correction_of(result.pairs, static_cast<int64_t>(tested.size()), options.level);
  const std::vector<double> levels = holm_levels(p_values, 2 * tested.size(), options.level);
  for (size_t k = 0; k < tested.size(); ++k) {
    const Pair& pair = pairs[tested[k]];
    PairComparison& judged = result.pairs[tested[k]];
    options.level = levels[k];
    judged.comparison = compare(pair.baseline->sample, pair.test.sample, options);
    double& detectable = result.correction->minimum_detectable;
    detectable = std::max(detectable, judged.comparison.minimum_detectable.value_or(0));
    if (judged.comparison.verdict != judged.alone) {
      judged.comparison.reason += fmt::format("; alone it would be {}, of {} comparisons it is not shown",
                                              verdict_name(judged.alone), tested.size());
    }
  }
}

}  // namespace

PairComparisons compare_pairs(const std::vector<NamedSample>& baseline, const std::vector<NamedSample>& test,
                              const CompareOptions& options) {
  PairComparisons result;
  result.allow_unpaired = options.allow_different;
  std::vector<Pair> pairs;
  for (const NamedSample& sample : baseline) {
    const NamedSample* const other = partner(test, sample);
    if (other != nullptr && (is_measured(sample) || is_measured(*other))) {
      pairs.push_back({&sample, *other});
      expect_same_training(sample, pairs.back().test);
    } else if (other == nullptr && is_measured(sample)) {
      result.unpaired.push_back("only in the baseline: " + sample.name);
    }
  }
  for (const NamedSample& sample : test) {
    if (partner(baseline, sample) == nullptr && is_measured(sample)) {
      result.unpaired.push_back("only in the test: " + sample.name);
    }
  }
  judge(pairs, options, result);
  return result;
}

int exit_code_of(const PairComparisons& comparisons, bool allow_inconclusive) {
  const bool incomplete = comparisons.pairs.empty() || (!comparisons.unpaired.empty() && !comparisons.allow_unpaired);
  int worst = incomplete ? exit_code_of(Verdict::kInvalid, allow_inconclusive) : 0;
  for (const PairComparison& pair : comparisons.pairs) {
    const int code = exit_code_of(pair.comparison.verdict, allow_inconclusive);
    worst = worst == 1 || code == 1 ? 1 : std::max(worst, code);
  }
  return worst;
}

void to_json(Json& json, const PairComparisons& comparisons) {
  Json pairs = Json::array();
  for (const PairComparison& pair : comparisons.pairs) {
    pairs.push_back(comparison_json(pair));
  }
  const auto& correction = comparisons.correction;
  json = {{"pairs", std::move(pairs)},
          {"unpaired", comparisons.unpaired},
          {"correction", correction ? Json{{"method", "holm"},
                                           {"pairs", correction->pairs},
                                           {"level", correction->level},
                                           {"widening", correction->widening},
                                           {"processes", correction->processes},
                                           {"processes_needed", correction->processes_needed},
                                           {"minimum_detectable", correction->minimum_detectable}}
                                    : Json()}};
}

}  // namespace aaco
