// SPDX-License-Identifier: MIT
#include "workload/training/gates/own_size_gates.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/max_or_nan.h"

namespace aaco {

namespace {

constexpr int64_t kLayers = 2;         // so that norms between layers are there
constexpr int64_t kLength = 160;       // two tiles of 64 rows and half of one; more than one of 128
constexpr int64_t kMostHidden = 256;   // for two groups of heads: the oracle's time grows with its square
constexpr int64_t kComparedSteps = 3;  // an update shows in the loss of the step behind it

double relative_error(const std::vector<float>& actual, const std::vector<float>& expected) {
  double difference = 0;
  double magnitude = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    const double apart = static_cast<double>(actual[i]) - static_cast<double>(expected[i]);
    difference += apart * apart;
    magnitude += static_cast<double>(expected[i]) * static_cast<double>(expected[i]);
  }
  return std::sqrt(difference / magnitude);
}

}  // namespace

LlamaConfig own_heads_config(const LlamaConfig& run) {
  LlamaConfig config = oracle_config(run, false);
  const int64_t head_dim = run.shape.head_dim();
  const int64_t queries = std::min<int64_t>(2, run.shape.heads / run.shape.kv_heads);  // of a key head
  config.shape.kv_heads = 2 * queries * head_dim <= kMostHidden ? std::min<int64_t>(2, run.shape.kv_heads) : 1;
  config.shape.heads = config.shape.kv_heads * queries;
  config.shape.hidden = config.shape.heads * head_dim;
  config.shape.inner = config.shape.hidden;
  config.shape.layers = kLayers;
  config.sequences = 1;
  config.length = std::min(kLength, run.length);
  return config;
}

LlamaConfig own_step_config(const LlamaConfig& run, bool on_host) {
  LlamaConfig config = run;
  config.shape.layers = std::min(kLayers, run.shape.layers);
  config.batches = kComparedSteps;
  config.steps = 2 * kComparedSteps;  // with those before a capture
  config.rate = 1e-3;
  config.weight_decay = 0.01;
  config.warmup_steps = 0;
  if (on_host) {
    config.sequences = 1;
    config.length = std::min(kLength, run.length);
  }
  return config;
}

LlamaConfig reference_config(const LlamaConfig& run) {
  LlamaConfig config = run;
  const bool is_unfused =
      run.precision.dtype == Dtype::kF32 && run.precision.math == MathMode::kF32 && run.fusions == LlamaFusions();
  config.precision = {Dtype::kF32, MathMode::kF32};
  config.fusions = is_unfused ? llama_versions()[2].fusions : LlamaFusions();
  return config;
}

std::string reference_name(const LlamaConfig& reference) {
  return reference.fusions == LlamaFusions() ? "the step in fp32, one kernel per operation" : "the fused step in fp32";
}

Result<StepValues> values_of_steps(const GateSubject& subject) {
  StepValues values;
  AACO_TRY(subject.train(1));
  AACO_ASSIGN(values.gradients, read_gradients(subject.training, subject.reader));
  AACO_TRY(subject.train(kComparedSteps - 1));
  AACO_ASSIGN(values.losses, subject.reader.floats(subject.training.history));
  values.losses.resize(static_cast<size_t>(kComparedSteps));
  return values;
}

GateOutcome step_is_the_references(const LlamaTraining& training, const StepValues& actual,
                                   const StepValues& expected) {
  double worst = 0;
  std::string where = "nothing";
  const auto take = [&](double error, const std::string& what) {
    where = !std::isnan(worst) && !(error <= worst) ? what : where;
    worst = max_or_nan(worst, error);
  };
  for (size_t i = 0; i < expected.losses.size(); ++i) {
    const double loss = static_cast<double>(expected.losses[i]);
    take(std::abs(static_cast<double>(actual.losses[i]) - loss) / loss, fmt::format("the loss of step {}", i + 1));
  }
  for (size_t i = 0; i < expected.gradients.size(); ++i) {
    take(relative_error(actual.gradients[i], expected.gradients[i]), training.weights.named[i].name);
  }
  const double tolerance = gradient_tolerance(training.config);
  return {!expected.gradients.empty() && worst <= tolerance,
          fmt::format("largest relative error {:.2g}, of {}", worst, where), fmt::format("at most {:.0e}", tolerance)};
}

}  // namespace aaco
