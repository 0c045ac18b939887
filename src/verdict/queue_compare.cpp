// SPDX-License-Identifier: MIT
#include "verdict/queue_compare.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "analysis/queue/queue_process.h"
#include "base/json.h"
#include "verdict/diff.h"

namespace aaco {

namespace {

struct ParsedRun {
  std::string created_utc;
  Json request;
  Json devices;
  std::vector<QueueProcess> processes;
};

void from_json(const Json& json, ParsedRun& run) {
  run.created_utc = json.value("created_utc", "");
  run.request = json.at("request");
  run.devices = json.at("devices");
  json.at("processes").get_to(run.processes);
}

std::string joined(const Json& values) {
  std::string text;
  for (const Json& value : values) {
    text += (text.empty() ? "" : ", ") + value.get<std::string>();
  }
  return text;
}

SampleConfiguration configuration_of(const ParsedRun& run) {
  SampleConfiguration configuration;
  configuration.model_name = run.request.at("workload").get<std::string>();
  for (const auto& [name, value] : run.request.at("parameters").items()) {
    configuration.model_name += fmt::format(" {}={}", name, value.get<std::string>());
  }
  configuration.backend = joined(run.request.at("devices"));
  for (const Json& device : run.devices) {
    configuration.provider += fmt::format(
        "{}{} ({}, driver {})", configuration.provider.empty() ? "" : ", ", device.at("name").get<std::string>(),
        device.at("architecture").get<std::string>(), device.at("driver").get<std::string>());
  }
  configuration.dims = {{"streams", run.request.at("streams").get<int64_t>()},
                        {"emulated ranks", run.request.at("emulated_ranks").get<int64_t>()}};
  configuration.precision = fmt::format("dispatch {}, sync {}", run.request.at("dispatch").get<std::string>(),
                                        run.request.at("sync_mode").get<std::string>());
  return configuration;
}

// Nanoseconds per unit of work; per iteration where no units were counted.
double time_per_unit(const QueueProcess& process) {
  const double iteration = process.p50_ns.value_or(
      process.iterations > 0 ? static_cast<double>(process.wall_ns) / static_cast<double>(process.iterations) : 0);
  return process.units_per_iteration > 0 ? iteration / process.units_per_iteration : iteration;
}

RunSample sample_of(const ParsedRun& run) {
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
  return fmt::format("{}, {} streams, {}", configuration.model_name, configuration.dims.at("streams"),
                     configuration.precision);
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

}  // namespace

Result<std::vector<RunSample>> queue_samples(const Json& document, const std::string& source) {
  const std::string kind = document.is_object() && document.contains("kind") && document["kind"].is_string()
                               ? document["kind"].get<std::string>()
                               : "";
  if (kind != "queue_run" && kind != "queue_sweep") {
    return Error{ErrorKind::kUsage, source + ": not what aaco queue run or sweep wrote",
                 "give the file of --output, or a session of aaco queue"};
  }
  const Json runs = kind == "queue_run" ? Json::array({document}) : document.value("points", Json::array());
  std::vector<RunSample> samples;
  try {
    for (const Json& run : runs) {
      samples.push_back(sample_of(run.get<ParsedRun>()));
    }
  } catch (const nlohmann::json::exception& exception) {
    return Error{ErrorKind::kUsage, fmt::format("{}: {}", source, exception.what()),
                 "the file was not written by this version of aaco, or was edited"};
  }
  if (samples.empty()) {
    return Error{ErrorKind::kUsage, source + ": holds no run", "run it again with aaco queue"};
  }
  return samples;
}

QueueComparisons compare_queues(const std::vector<RunSample>& baseline, const std::vector<RunSample>& test,
                                const CompareOptions& options) {
  QueueComparisons result;
  for (const RunSample& sample : baseline) {
    if (const RunSample* other = partner(test, sample)) {
      result.pairs.push_back({name_of(sample.configuration), compare(sample, *other, options)});
    } else {
      result.unpaired.push_back("only in the baseline: " + name_of(sample.configuration));
    }
  }
  for (const RunSample& sample : test) {
    if (partner(baseline, sample) == nullptr) {
      result.unpaired.push_back("only in the test: " + name_of(sample.configuration));
    }
  }
  return result;
}

int exit_code_of(const QueueComparisons& comparisons, bool allow_inconclusive) {
  int worst = comparisons.pairs.empty() ? exit_code_of(Verdict::kInvalid, allow_inconclusive) : 0;
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
  json = {{"pairs", std::move(pairs)}, {"unpaired", comparisons.unpaired}};
}

}  // namespace aaco
