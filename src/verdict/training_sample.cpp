// SPDX-License-Identifier: MIT
#include "verdict/training_sample.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/statistics.h"
#include "verdict/compare.h"

namespace aaco {

namespace {

SampleConfiguration configuration_of(const TrainingRunDocument& document) {
  const TrainingRequest& request = document.request;
  SampleConfiguration configuration;
  configuration.model_name =
      fmt::format("Tiny LLaMA version {}, with {}, without {}, {} data, seed {}, rate {} after {}, decay {}",
                  request.version, fmt::join(request.enable, "+"), fmt::join(request.disable, "+"), request.data,
                  request.seed, request.rate, request.rate_warmup_steps, request.weight_decay);
  configuration.backend = request.device;
  if (document.device) {
    configuration.provider = fmt::format("{} ({}, driver {})", document.device->name, document.device->architecture,
                                         document.device->driver);
  }
  configuration.batch = request.sequences;
  configuration.dims = {{"vocabulary", request.vocabulary}, {"hidden size", request.hidden},
                        {"layers", request.layers},         {"heads", request.heads},
                        {"key heads", request.kv_heads},    {"inner size", request.inner},
                        {"length", request.length},         {"batches", request.batches}};
  configuration.precision = fmt::format("{}, dispatch {}", request.precision, request.dispatch);
  for (const auto& [what, type] : document.types) {
    configuration.precision += fmt::format(", {} {}", what, type);
  }
  return configuration;
}

// Of the first process.
const std::vector<double>* losses_of(const TrainingRunDocument& document) {
  return document.processes.empty() ? nullptr : &document.processes.front().losses;
}

}  // namespace

void describe_training(const TrainingRunDocument& document, RunSample& sample) {
  sample.configuration = configuration_of(document);
  const auto failed =
      std::find_if(document.gates.begin(), document.gates.end(), [](const TrainingGate& gate) { return !gate.passed; });
  if (failed != document.gates.end() && sample.status == SessionStatus::kComplete) {
    sample.status = SessionStatus::kFailed;
    sample.status_reason =
        fmt::format("its gate \"{}\" found {}, which must be {}", failed->name, failed->found, failed->must);
  }
}

std::string loss_difference(const TrainingRunDocument& baseline, const TrainingRunDocument& test) {
  const std::vector<double>* const a = losses_of(baseline);
  const std::vector<double>* const b = losses_of(test);
  const size_t steps = a != nullptr && b != nullptr ? std::min(a->size(), b->size()) : 0;
  if (steps == 0 || !configuration_differences(configuration_of(baseline), configuration_of(test)).empty()) {
    return "";
  }
  const double of_baseline = *mean(std::span(*a).first(steps));
  const double of_test = *mean(std::span(*b).first(steps));
  // Written so that a loss that is no number differs.
  if (std::abs(of_test - of_baseline) <= kLossTolerance * std::abs(of_baseline)) {
    return "";
  }
  return fmt::format("the mean loss of the first {} steps is {:.4g} in the baseline and {:.4g} in the test", steps,
                     of_baseline, of_test);
}

}  // namespace aaco
