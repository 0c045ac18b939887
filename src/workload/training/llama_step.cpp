// SPDX-License-Identifier: MIT
#include "workload/training/llama_step.h"

#include <algorithm>

#include "workload/training/llama_passes.h"

namespace aaco {

namespace {

constexpr WorkloadInfo kInfo{.id = "llama",
                             .alias = "",
                             .priority = "",
                             .category = "training",
                             .unit = "tokens",
                             .summary = "A training step of the Tiny LLaMA",
                             .about = "",
                             .recommended_streams = 1,
                             .switch_sensitivity = "low",
                             .parameters = {},
                             .test_parameters = {},
                             .build = nullptr};

void write_update(StepWriter& step, const LlamaMemory& memory, const WeightRange& range) {
  const LlamaWeights& weights = memory.weights;
  const int64_t first = range.first;
  const int64_t elements = range.end - range.first;
  const auto part = [&](const Tensor& all) { return all.view(first, {elements}); };
  UpdatedArrays arrays{part(weights.masters), part(weights.values), {}, part(weights.first), part(weights.second)};
  // Of the elements in front of one, those whose gradients are of the precision.
  const auto low_before = [&](int64_t element) {
    return std::clamp(element, weights.low_range.first, weights.low_range.end) - weights.low_range.first;
  };
  const int64_t low = low_before(range.end) - low_before(first);
  arrays.grad = weights.grads.view(first - low_before(first), {elements - low});
  if (low > 0) {
    arrays.low_grad = weights.low_grads.view(low_before(first), {low});
    arrays.low_from = std::max(first, weights.low_range.first) - first;
  }
  write_llama_update(step, memory, arrays);
}

// What is updated behind the backward pass.
void write_optimizer(StepWriter& step, const LlamaMemory& memory) {
  const LlamaWeights& weights = memory.weights;
  if (memory.config.fusions.optimizer) {
    write_update(step, memory, {0, weights.masters.elements()});
    return;
  }
  for (const NamedWeight& named : weights.named) {
    const int64_t first = first_element(weights, named.weight);
    step.layer(named.layer);
    write_update(step, memory, {first, first + named.weight.master.elements()});
  }
  step.layer(-1);
}

// A layer's weights and gradients are done with once its backward pass is.
void write_step(StepWriter& step, const LlamaMemory& memory) {
  step.phase(StepPhase::kForward);
  write_llama_forward(step, memory);
  step.phase(StepPhase::kBackward);
  write_llama_backward(step, memory, [&](const WeightRange& range) {
    step.phase(StepPhase::kOptimizer);
    write_update(step, memory, range);
    step.phase(StepPhase::kBackward);
  });
  step.phase(StepPhase::kOptimizer);
  if (memory.config.fusions.beside) {
    step.after(kBesideStream);
  } else {
    write_optimizer(step, memory);
  }
  write_llama_tick(step, memory);
}

}  // namespace

int32_t llama_streams(const LlamaFusions& fusions) { return fusions.beside ? 2 : 1; }

Result<LlamaTraining> build_llama(Device& device, const LlamaConfig& config) {
  AACO_TRY(check_llama_config(config));
  LlamaTraining training;
  training.config = config;
  WorkloadRequest request;
  request.devices = {&device};
  request.streams = llama_streams(config.fusions);
  request.seed = config.seed;
  AACO_ASSIGN(training.instance, build_instance(kInfo, request, [&](WorkloadBuilder& builder) -> Result<void> {
                training.weights = make_llama_weights(builder, config);
                const LlamaBuffers buffers = make_llama_buffers(builder, config);
                const LlamaMemory memory{config, training.weights, buffers};
                builder.setup().op(0, first_llama_tick(config, buffers));
                StepWriter step(builder.iteration(), training.labels);
                write_step(step, memory);
                training.inputs = buffers.inputs;
                training.targets = buffers.targets;
                training.history = buffers.history;
                builder.output("losses", buffers.history);
                builder.output("weights", training.weights.masters);
                builder.output("gradients", training.weights.grads);
                if (training.weights.low_grads.data != nullptr) {
                  builder.output("gradients of products", training.weights.low_grads);
                }
                builder.units(static_cast<double>(config.tokens()));
                return {};
              }));
  return training;
}

namespace {

Result<std::vector<std::vector<float>>> read_all(const LlamaTraining& training, DeviceReader& reader,
                                                 Tensor Weight::* array) {
  std::vector<std::vector<float>> all;
  for (const NamedWeight& named : training.weights.named) {
    AACO_ASSIGN(all.emplace_back(), reader.floats(named.weight.*array));
  }
  return all;
}

}  // namespace

Result<std::vector<std::vector<float>>> read_gradients(const LlamaTraining& training, DeviceReader& reader) {
  return read_all(training, reader, &Weight::grad);
}

Result<std::vector<std::vector<float>>> read_masters(const LlamaTraining& training, DeviceReader& reader) {
  return read_all(training, reader, &Weight::master);
}

}  // namespace aaco
