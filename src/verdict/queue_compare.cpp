// SPDX-License-Identifier: MIT
#include "verdict/queue_compare.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/documents/queue_sweep_document.h"
#include "base/format.h"
#include "base/json.h"
#include "verdict/diff.h"

namespace aaco {

namespace {

SampleConfiguration configuration_of(const QueueRunDocument& run) {
  const QueueRequest& request = run.request;
  SampleConfiguration configuration;
  configuration.model_name = request.workload;
  for (const auto& [name, value] : request.parameters) {
    configuration.model_name += fmt::format(" {}={}", name, value);
  }
  configuration.backend = fmt::format("{}", fmt::join(request.devices, ", "));
  for (const DeviceFacts& device : run.devices) {
    configuration.provider += fmt::format("{}{} ({}, driver {})", configuration.provider.empty() ? "" : ", ",
                                          device.name, device.architecture, device.driver);
  }
  configuration.dims = {{"streams", request.streams}, {"emulated ranks", request.emulated_ranks}};
  configuration.precision = fmt::format("dispatch {}, sync {}", request.dispatch, request.sync_mode);
  return configuration;
}

// Nanoseconds per unit of work; per iteration where no units were counted.
double time_per_unit(const QueueProcess& process) {
  const double iteration = process.p50_ns.value_or(
      process.iterations > 0 ? static_cast<double>(process.wall_ns) / static_cast<double>(process.iterations) : 0);
  return process.units_per_iteration > 0 ? iteration / process.units_per_iteration : iteration;
}

RunSample sample_of(const QueueRunDocument& run) {
  RunSample sample;
  sample.created_utc = run.created_utc;
  sample.status = SessionStatus::kComplete;
  sample.phase = "measure";
  sample.configuration = configuration_of(run);
  for (const QueueProcess& process : run.processes) {
    sample.process_medians_ns.push_back(time_per_unit(process));
    sample.iterations += process.iterations;
    sample.stationary_processes += process.stationary ? 1 : 0;
  }
  return sample;
}

std::string name_of(const SampleConfiguration& configuration) {
  return fmt::format("{}, {}, {}", configuration.model_name,
                     counted(configuration.dims.at("streams"), "stream", "streams"), configuration.precision);
}

Json comparison_json(const QueueComparison& pair) {
  const Comparison& comparison = pair.comparison;
  const auto interval = [](const std::optional<Interval>& value) {
    return value ? Json{value->low, value->high} : Json();
  };
  Json differences = Json::array();
  for (const ConfigurationDifference& difference : comparison.configuration_differences) {
    differences.push_back({{"field", difference.field}, {"baseline", difference.baseline}, {"test", difference.test}});
  }
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
          {"differences", std::move(differences)},
          {"warnings", comparison.warnings}};
}

// The runs of both sides with the same name are a pair whatever else differs: compare() names that.
const RunSample* partner(const std::vector<RunSample>& samples, const RunSample& of) {
  const auto found = std::find_if(samples.begin(), samples.end(), [&](const RunSample& sample) {
    return name_of(sample.configuration) == name_of(of.configuration);
  });
  return found == samples.end() ? nullptr : &*found;
}

// A pair of a comparison, before it is judged.
struct Pair {
  const RunSample* baseline;
  const RunSample* test;
};

// How many times as wide as alone the interval at this level is, and how many processes a side take that back.
QueueCorrection correction_of(const std::vector<QueueComparison>& pairs, int64_t judged, double alone) {
  QueueCorrection correction{.pairs = judged, .level = alone};
  const QueueComparison* fewest = nullptr;
  for (const QueueComparison& pair : pairs) {
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
void judge(const std::vector<Pair>& pairs, CompareOptions options, QueueComparisons& result) {
  std::vector<double> p_values;
  std::vector<size_t> tested;
  for (size_t i = 0; i < pairs.size(); ++i) {
    const Comparison alone = compare(*pairs[i].baseline, *pairs[i].test, options);
    result.pairs.push_back({name_of(pairs[i].baseline->configuration), alone, alone.verdict});
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
    QueueComparison& judged = result.pairs[tested[k]];
    options.level = levels[k];
    judged.comparison = compare(*pair.baseline, *pair.test, options);
    double& detectable = result.correction->minimum_detectable;
    detectable = std::max(detectable, judged.comparison.minimum_detectable.value_or(0));
    if (judged.comparison.verdict != judged.alone) {
      judged.comparison.reason += fmt::format("; alone it would be {}, of {} comparisons it is not shown",
                                              verdict_name(judged.alone), tested.size());
    }
  }
}

}  // namespace

Result<std::vector<RunSample>> queue_samples(const Json& document, const std::string& source) {
  const std::string kind = document_kind(document);
  if (kind != QueueRunDocument::kKind && kind != QueueSweepDocument::kKind) {
    return Error{ErrorKind::kUsage, source + ": not what aaco queue run or sweep wrote",
                 "give the file of --output, or a session of aaco queue"};
  }
  std::vector<RunSample> samples;
  if (kind == QueueRunDocument::kKind) {
    AACO_ASSIGN(const QueueRunDocument run, read_queue_run(document, source));
    samples.push_back(sample_of(run));
  } else {
    AACO_ASSIGN(const QueueSweepDocument sweep, read_queue_sweep(document, source));
    std::transform(sweep.points.begin(), sweep.points.end(), std::back_inserter(samples), sample_of);
  }
  if (samples.empty()) {
    return Error{ErrorKind::kUsage, source + ": holds no run", "run it again with aaco queue"};
  }
  return samples;
}

QueueComparisons compare_queues(const std::vector<RunSample>& baseline, const std::vector<RunSample>& test,
                                const CompareOptions& options) {
  QueueComparisons result;
  result.allow_unpaired = options.allow_different;
  std::vector<Pair> pairs;
  for (const RunSample& sample : baseline) {
    if (const RunSample* other = partner(test, sample)) {
      pairs.push_back({&sample, other});
    } else {
      result.unpaired.push_back("only in the baseline: " + name_of(sample.configuration));
    }
  }
  for (const RunSample& sample : test) {
    if (partner(baseline, sample) == nullptr) {
      result.unpaired.push_back("only in the test: " + name_of(sample.configuration));
    }
  }
  judge(pairs, options, result);
  return result;
}

int exit_code_of(const QueueComparisons& comparisons, bool allow_inconclusive) {
  const bool incomplete = comparisons.pairs.empty() || (!comparisons.unpaired.empty() && !comparisons.allow_unpaired);
  int worst = incomplete ? exit_code_of(Verdict::kInvalid, allow_inconclusive) : 0;
  for (const QueueComparison& pair : comparisons.pairs) {
    const int code = exit_code_of(pair.comparison.verdict, allow_inconclusive);
    worst = worst == 1 || code == 1 ? 1 : std::max(worst, code);
  }
  return worst;
}

void to_json(Json& json, const QueueComparisons& comparisons) {
  Json pairs = Json::array();
  for (const QueueComparison& pair : comparisons.pairs) {
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
