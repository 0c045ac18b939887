// SPDX-License-Identifier: MIT
#include "workload/training/llama_passes.h"

namespace aaco {

void write_llama_update(StepWriter& step, const LlamaMemory& memory, const UpdatedArrays& arrays) {
  AdamArgs args;
  args.param = arrays.master.as<float>();
  args.grad = arrays.grad.as<float>();
  args.first = arrays.first.as<float>();
  args.second = arrays.second.as<float>();
  const bool copied = arrays.value.data != arrays.master.data;
  args.low = copied ? arrays.value.data : nullptr;
  args.low_dtype = copied ? arrays.value.dtype : Dtype::kBf16;
  args.n = arrays.master.elements();
  args.beta1 = static_cast<float>(memory.config.beta1);
  args.beta2 = static_cast<float>(memory.config.beta2);
  args.eps = static_cast<float>(memory.config.adam_epsilon);
  if (arrays.low_grad.data != nullptr) {
    args.low_grad = arrays.low_grad.data;
    args.low_from = arrays.low_from;
    args.low_end = arrays.low_from + arrays.low_grad.elements();
  }
  args.grad_scale = arrays.scale.as<float>();
  args.clock = memory.buffers.clock.as<TrainingClock>();
  step.op(StepPart::kUpdate, args);
}

TickArgs first_llama_tick(const LlamaConfig& config, const LlamaBuffers& buffers) {
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

void write_llama_tick(StepWriter& step, const LlamaMemory& memory) {
  TickArgs tick = first_llama_tick(memory.config, memory.buffers);
  const Tensor& loss = memory.config.fusions.loss ? memory.buffers.loss : memory.buffers.mean_loss;
  tick.loss = loss.as<float>();
  tick.rows = loss.elements();
  step.op(StepPart::kLoss, tick);
}

}  // namespace aaco
