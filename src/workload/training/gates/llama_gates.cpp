// SPDX-License-Identifier: MIT
#include "workload/training/gates/llama_gates.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "workload/training/llama_counts.h"
#include "workload/training/oracle/adamw_oracle.h"
#include "workload/training/oracle/llama_oracle.h"
#include "workload/training/token_data.h"

namespace aaco {

namespace {

OracleShape oracle_shape(const LlamaShape& shape) {
  return {.vocabulary = shape.vocabulary,
          .hidden = shape.hidden,
          .layers = shape.layers,
          .heads = shape.heads,
          .kv_heads = shape.kv_heads,
          .inner = shape.inner,
          .epsilon = shape.epsilon,
          .theta = shape.theta,
          .tie_head = shape.tie_head};
}

// Batch `number` of the training's data.
OracleBatch batch_of(const LlamaConfig& config, const std::vector<int32_t>& tokens, int64_t number) {
  OracleBatch batch;
  batch.sequences = config.sequences;
  batch.length = config.length;
  const int64_t first = number * config.sequences * (config.length + 1);
  for (int64_t i = 0; i < config.sequences; ++i) {
    for (int64_t t = 0; t < config.length; ++t) {
      const auto at = static_cast<size_t>(first + i * (config.length + 1) + t);
      batch.inputs.push_back(tokens[at]);
      batch.targets.push_back(tokens[at + 1]);
    }
  }
  return batch;
}

// The device holds products' weights as [out, in], the oracle as [in, out].
bool is_transposed(const OracleTensor& parameter) {
  return parameter.name != "embedding" && parameter.name != "head" && parameter.shape.size() == 2;
}

std::vector<double> to_oracle(const OracleTensor& parameter, const std::vector<float>& device) {
  std::vector<double> values(device.begin(), device.end());
  if (is_transposed(parameter)) {
    const auto in = static_cast<size_t>(parameter.shape[0]);
    const auto out = static_cast<size_t>(parameter.shape[1]);
    for (size_t i = 0; i < in; ++i) {
      for (size_t o = 0; o < out; ++o) {
        values[i * out + o] = device[o * in + i];
      }
    }
  }
  return values;
}

Result<std::vector<OracleTensor>> oracle_weights(const GateSubject& subject) {
  AACO_ASSIGN(std::vector<OracleTensor> parameters, oracle_parameters(oracle_shape(subject.training.config.shape)));
  AACO_ASSIGN(const auto masters, read_masters(subject.training, subject.reader));
  for (size_t i = 0; i < parameters.size(); ++i) {
    const NamedWeight& named = subject.training.weights.named[i];
    if (named.name != parameters[i].name || masters[i].size() != parameters[i].values.size()) {
      return Error{ErrorKind::kBug, fmt::format("parameter {} is {} of the oracle", named.name, parameters[i].name),
                   ""};
    }
    parameters[i].values = to_oracle(parameters[i], masters[i]);
  }
  return parameters;
}

// |a - b| / |b| with 2-norms.
double relative_error(const std::vector<double>& actual, const std::vector<double>& expected) {
  double difference = 0;
  double magnitude = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    difference += (actual[i] - expected[i]) * (actual[i] - expected[i]);
    magnitude += expected[i] * expected[i];
  }
  return std::sqrt(difference / magnitude);
}

// Matrices; the functions between them, which attention has too, are counted by nobody.
bool multiplies(OpId op) { return op == OpId::kGemm || op == OpId::kAttention || op == OpId::kAttentionGrad; }

bool all_finite(const std::vector<float>& values) {
  return std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
}

}  // namespace

double gradient_tolerance(const LlamaConfig& config) {
  if (config.precision.dtype == Dtype::kBf16) {
    return 2e-2;
  }
  return config.precision.math == MathMode::kTf32 ? 2e-3 : 1e-4;
}

LlamaConfig oracle_config(const LlamaConfig& llama_config, bool ragged) {
  LlamaConfig config = llama_config;
  config.shape.vocabulary = ragged ? 53 : 64;
  config.shape.hidden = ragged ? 42 : 32;
  config.shape.layers = ragged ? 3 : 2;
  config.shape.heads = ragged ? 3 : 4;
  config.shape.kv_heads = ragged ? 1 : 2;
  config.shape.inner = ragged ? 50 : 64;
  config.sequences = ragged ? 3 : 2;
  config.length = ragged ? 13 : 16;
  config.batches = 4;
  config.learnable = true;
  config.rate = 3e-3;
  config.weight_decay = 0.01;
  config.warmup_steps = 0;
  config.steps = 50;
  return config;
}

Result<GateOutcome> every_parameter_has_a_gradient(const GateSubject& subject) {
  AACO_TRY(subject.train(1));
  AACO_ASSIGN(const auto gradients, read_gradients(subject.training, subject.reader));
  GateOutcome outcome{true, fmt::format("{} of {} parameters", gradients.size(), gradients.size()),
                      "a finite gradient that is not zero, of every parameter"};
  size_t without = 0;
  std::string first;
  for (size_t i = 0; i < gradients.size(); ++i) {
    const bool zero = std::all_of(gradients[i].begin(), gradients[i].end(), [](float value) { return value == 0; });
    if (zero || !all_finite(gradients[i])) {
      first = first.empty() ? subject.training.weights.named[i].name : first;
      ++without;
    }
  }
  if (without > 0) {
    outcome.passed = false;
    outcome.observed = fmt::format("{} of {} parameters have none, {} first", without, gradients.size(), first);
  }
  return outcome;
}

Result<GateOutcome> gradients_are_the_oracles(const GateSubject& subject) {
  const LlamaConfig& config = subject.training.config;
  AACO_ASSIGN(const std::vector<OracleTensor> parameters, oracle_weights(subject));
  AACO_ASSIGN(const OracleLoss expected,
              oracle_gradients(oracle_shape(config.shape), batch_of(config, make_tokens(config), 0), parameters));
  AACO_TRY(subject.train(1));
  AACO_ASSIGN(const auto gradients, read_gradients(subject.training, subject.reader));
  AACO_ASSIGN(const std::vector<float> losses, subject.reader.floats(subject.training.history));
  double worst = std::abs(losses.front() - expected.loss) / expected.loss;
  std::string where = "the loss";
  for (size_t i = 0; i < parameters.size(); ++i) {
    const double error = relative_error(to_oracle(parameters[i], gradients[i]), expected.gradients[i]);
    if (std::isfinite(worst) && !(error <= worst)) {
      worst = error;
      where = parameters[i].name;
    }
  }
  const double tolerance = gradient_tolerance(config);
  return GateOutcome{worst <= tolerance, fmt::format("largest relative error {:.2g}, of {}", worst, where),
                     fmt::format("at most {:.0e}", tolerance)};
}

Result<GateOutcome> losses_are_the_oracles(const GateSubject& subject) {
  const LlamaConfig& config = subject.training.config;
  const std::vector<int32_t> tokens = make_tokens(config);
  AACO_ASSIGN(std::vector<OracleTensor> parameters, oracle_weights(subject));
  const OracleAdamW settings{config.rate, config.beta1, config.beta2, config.adam_epsilon, config.weight_decay};
  OracleMoments moments;
  AACO_TRY(subject.train(config.steps));
  AACO_ASSIGN(const std::vector<float> losses, subject.reader.floats(subject.training.history));
  double worst = 0;
  for (int64_t step = 0; step < config.steps; ++step) {
    AACO_ASSIGN(
        const OracleLoss expected,
        oracle_gradients(oracle_shape(config.shape), batch_of(config, tokens, step % config.batches), parameters));
    const double error = std::abs(losses[static_cast<size_t>(step)] - expected.loss) / expected.loss;
    worst = std::isfinite(worst) && !(error <= worst) ? error : worst;  // what is no number stays
    AACO_TRY(oracle_adamw_step(settings, expected.gradients, parameters, moments));
  }
  const double fall = 1 - losses.back() / losses.front();
  const double tolerance = gradient_tolerance(config);
  return GateOutcome{
      worst <= tolerance && fall >= 0.1,
      fmt::format("largest relative difference {:.2g}; from {:.4g} to {:.4g}", worst, losses.front(), losses.back()),
      fmt::format("at most {:.0e}, and a tenth lower at the end", tolerance)};
}

GateOutcome memory_is_as_computed(const LlamaConfig& config, int64_t allocated) {
  const double computed = llama_memory(config).total();
  const double difference = static_cast<double>(allocated) / computed - 1;
  return {std::abs(difference) <= 0.02,
          fmt::format("{} bytes, {:+.2f} % of {:.0f}", allocated, 100 * difference, computed),
          "within 2 % of what the shape and the fusions need"};
}

GateOutcome backward_is_twice_forward(const LlamaTraining& training) {
  double flops[2][2] = {};  // forward, backward; products, attention
  const auto& commands = training.instance->iteration.commands();
  for (size_t i = 0; i < commands.size(); ++i) {
    const StepLabel& label = training.labels[i];
    if (commands[i].kind == CommandKind::kOp && label.phase != StepPhase::kOptimizer && multiplies(commands[i].op)) {
      flops[label.phase == StepPhase::kBackward ? 1 : 0][label.part == StepPart::kAttention ? 1 : 0] +=
          work_of(commands[i].op, commands[i].to).flops;
    }
  }
  const double products = flops[1][0] / flops[0][0];
  const double attention = flops[1][1] / flops[0][1];
  return {products >= 1.9 && products <= 2.1 && attention >= 1.9 && attention <= 3,
          fmt::format("products {:.3g}, attention {:.3g}", products, attention),
          "products 1.9 to 2.1, attention 1.9 to 3"};
}

}  // namespace aaco
