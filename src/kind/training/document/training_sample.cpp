// SPDX-License-Identifier: MIT
#include "kind/training/document/training_sample.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

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

}  // namespace

void describe_training(const TrainingRunDocument& document, NamedSample& named) {
  if (!document.processes.empty()) {
    named.losses = document.processes.front().losses;
  }
  RunSample& sample = named.sample;
  sample.configuration = configuration_of(document);
  const auto failed = std::find_if(document.gates.begin(), document.gates.end(), is_failed);
  if (failed != document.gates.end() && sample.status == SessionStatus::kComplete) {
    sample.status = SessionStatus::kFailed;
    sample.status_reason =
        fmt::format("its gate \"{}\" found {}, which must be {}", failed->name, failed->found, failed->must);
  }
}

}  // namespace aaco
