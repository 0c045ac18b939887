// SPDX-License-Identifier: MIT
#include "kind/queue_samples.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>

#include "base/format.h"
#include "base/json/json.h"
#include "kind/sweep/document/queue_sweep_document.h"

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
  configuration.work["request"] = {{"seed", {std::to_string(request.seed), ""}}};
  // A part of a device has the name of the whole. On a processor it is how many of its threads this process may use.
  for (const DeviceFacts& device : run.devices) {
    if (!device.id.starts_with("cpu")) {
      configuration.work["device"][device.id] = {fmt::format("{} compute units", device.compute_units), ""};
    }
  }
  return configuration;
}

// Errors: kUsage of a run that nothing waited for, whose time ends with the enqueueing: its work may go on.
Result<void> expect_waited_for(const QueueRunDocument& run, const std::string& source) {
  if (run.request.sync_mode == "none") {
    return Error{ErrorKind::kUsage,
                 source + ": was measured with --sync-mode none: nothing was waited for, and there is no time per unit",
                 "measure it again with --sync-mode per_iteration or end_only"};
  }
  return {};
}

// Nanoseconds per unit of work; per iteration where no units were counted.
double time_per_unit(const QueueProcess& process) {
  const double iteration = process.p50_ns.value_or(
      process.iterations > 0 ? static_cast<double>(process.wall_ns) / static_cast<double>(process.iterations) : 0);
  return process.units_per_iteration > 0 ? iteration / process.units_per_iteration : iteration;
}

std::string name_of(const SampleConfiguration& configuration) {
  return fmt::format("{}, {}, {}", configuration.model_name,
                     counted(configuration.dims.at("streams"), "stream", "streams"), configuration.precision);
}

NamedSample sample_of(const QueueRunDocument& run) {
  NamedSample named;
  RunSample& sample = named.sample;
  sample.created_utc = run.created_utc;
  sample.status = SessionStatus::kComplete;
  sample.phase = "measure";
  sample.configuration = configuration_of(run);
  for (const QueueProcess& process : run.processes) {
    sample.process_medians_ns.push_back(time_per_unit(process));
    sample.iterations += process.iterations;
    sample.stationary_processes += process.stationary ? 1 : 0;
  }
  named.name = name_of(sample.configuration);
  return named;
}

// Of the sizes that the user did not give; documents of before there were two scales do not say which they had.
void add_scale(const Json& run, RunSample& sample) {
  const auto request = run.find("request");
  if (request != run.end() && request->is_object() && request->contains("scale")) {
    sample.configuration.work["sizes"] = {{"scale", {request->at("scale").get<std::string>(), ""}}};
  }
}

}  // namespace

Result<std::vector<NamedSample>> queue_samples(const Json& document, const std::string& source) {
  const std::string kind = document_kind(document);
  if (kind != QueueRunDocument::kKind && kind != QueueSweepDocument::kKind) {
    return Error{ErrorKind::kUsage, source + ": not what aaco queue run or sweep wrote",
                 "give the file of --output, or a session of aaco queue"};
  }
  std::vector<NamedSample> samples;
  if (kind == QueueRunDocument::kKind) {
    AACO_ASSIGN(const QueueRunDocument run, read_queue_run(document, source));
    AACO_TRY(expect_waited_for(run, source));
    samples.push_back(sample_of(run));
    add_scale(document, samples.back().sample);
  } else {
    AACO_ASSIGN(const QueueSweepDocument sweep, read_queue_sweep(document, source));
    for (const QueueRunDocument& point : sweep.points) {
      AACO_TRY(expect_waited_for(point, source));
    }
    std::transform(sweep.points.begin(), sweep.points.end(), std::back_inserter(samples), sample_of);
    const Json& points = document.at("points");
    for (size_t i = 0; i < samples.size() && i < points.size(); ++i) {
      add_scale(points[i], samples[i].sample);
    }
  }
  if (samples.empty()) {
    return Error{ErrorKind::kUsage, source + ": holds no run", "run it again with aaco queue"};
  }
  return samples;
}

}  // namespace aaco
