// SPDX-License-Identifier: MIT
#include "workload/training/llama_step.h"

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

TickArgs tick_of(const LlamaConfig& config, const LlamaBuffers& buffers) {
  TickArgs args;
  args.clock = buffers.clock.as<TrainingClock>();
  args.history = buffers.history.as<float>();
  args.history_length = config.steps;
  args.batches = static_cast<int32_t>(config.batches);
  args.warmup_steps = static_cast<int32_t>(config.warmup_steps);
  args.rate = static_cast<float>(config.rate);
  args.weight_decay = static_cast<float>(config.weight_decay);
  args.beta1 = static_cast<float>(config.beta1);
  args.beta2 = static_cast<float>(config.beta2);
  return args;
}

void write_update(StepWriter& step, const LlamaMemory& memory, const WeightRange& range) {
  const LlamaWeights& weights = memory.weights;
  const int64_t first = range.first;
  const int64_t elements = range.end - range.first;
  AdamArgs args;
  args.param = weights.masters.as<float>() + first;
  args.grad = weights.grads.as<float>() + first;
  args.first = weights.first.as<float>() + first;
  args.second = weights.second.as<float>() + first;
  const bool copied = weights.values.data != weights.masters.data;
  args.low = copied ? weights.values.view(first, {elements}).data : nullptr;
  args.low_dtype = copied ? weights.values.dtype : Dtype::kBf16;
  args.n = elements;
  args.beta1 = static_cast<float>(memory.config.beta1);
  args.beta2 = static_cast<float>(memory.config.beta2);
  args.eps = static_cast<float>(memory.config.adam_epsilon);
  args.clock = memory.buffers.clock.as<TrainingClock>();
  step.op(StepPart::kUpdate, args);
}

// What is updated behind the backward pass.
void write_optimizer(StepWriter& step, const LlamaMemory& memory) {
  const LlamaWeights& weights = memory.weights;
  if (memory.config.fusions.optimizer) {
    write_update(step, memory, {0, weights.grads.elements()});
    return;
  }
  for (const NamedWeight& named : weights.named) {
    const int64_t first = named.weight.grad.as<float>() - weights.grads.as<float>();
    step.layer(named.layer);
    write_update(step, memory, {first, first + named.weight.grad.elements()});
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
  TickArgs tick = tick_of(memory.config, memory.buffers);
  const Tensor& loss = memory.config.fusions.loss ? memory.buffers.loss : memory.buffers.mean_loss;
  tick.loss = loss.as<float>();
  tick.rows = loss.elements();
  step.op(StepPart::kLoss, tick);
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
                builder.setup().op(0, tick_of(config, buffers));
                StepWriter step(builder.iteration(), training.labels);
                write_step(step, memory);
                training.inputs = buffers.inputs;
                training.targets = buffers.targets;
                training.history = buffers.history;
                builder.output("losses", buffers.history);
                builder.output("weights", training.weights.masters);
                builder.output("gradients", training.weights.grads);
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
