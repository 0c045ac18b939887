// SPDX-License-Identifier: MIT
// The passes of a step, as commands: a part that is fused by one operation, else by those that it is made of.
#pragma once

#include <functional>

#include "workload/training/llama_buffers.h"
#include "workload/training/llama_weights.h"
#include "workload/training/step_writer.h"

namespace aaco {

// Everything that a pass reads and writes.
struct LlamaMemory {
  const LlamaConfig& config;
  const LlamaWeights& weights;
  const LlamaBuffers& buffers;
};

// Called at the stream of the pass, before a layer's first command and behind its last one.
struct LayerHooks {
  std::function<void(size_t layer)> before = [](size_t /*layer*/) {};
  std::function<void(size_t layer)> after = [](size_t /*layer*/) {};
};

// The clock's batch, the model, and the loss of each token.
void write_llama_forward(StepWriter& step, const LlamaMemory& memory, const LayerHooks& hooks = {});

inline constexpr int32_t kBesideStream = 1;

// Gradients of all parameters. `update(range)` is called, where weights are updated beside the backward pass, when all
// gradients of the range are there; it writes to the stream that the writer is at.
void write_llama_backward(StepWriter& step, const LlamaMemory& memory,
                          const std::function<void(const WeightRange&)>& update, const LayerHooks& hooks = {});

// Elements of parameters that are updated at once: fp32, and `value` of the precision, which may be the master itself.
struct UpdatedArrays {
  Tensor master;
  Tensor value;
  Tensor grad;
  Tensor first;  // the optimiser's
  Tensor second;
  // fp32 [1]: what gradients are multiplied with; none: they are as they stand.
  Tensor scale = {};     // NOLINT(readability-redundant-member-init): most have none
  Tensor low_grad = {};  // of the precision, of the elements from low_from on; no data: all are in `grad`
  int64_t low_from = 0;
};
void write_llama_update(StepWriter& step, const LlamaMemory& memory, const UpdatedArrays& arrays);

// The loss into the history, and the clock to the next step. The first: to step 1.
void write_llama_tick(StepWriter& step, const LlamaMemory& memory);
TickArgs first_llama_tick(const LlamaConfig& config, const LlamaBuffers& buffers);

// The attention of a layer, from its queries, keys and values to `mixed`, and the gradients of those.
void write_attention_forward(StepWriter& step, const LlamaMemory& memory, const LlamaLayerState& layer);
void write_attention_backward(StepWriter& step, const LlamaMemory& memory, const LlamaLayerState& layer,
                              const QkvViews& grads);

// SwiGLU's function where it is not fused, and the gradients of gate and up.
void write_silu_times_up(StepWriter& step, const LlamaLayerState& layer);
void write_silu_times_up_grad(StepWriter& step, const LlamaLayerState& layer, const GateUpViews& grads,
                              const LlamaBuffers& buffers);

// Positions into queries and keys, or, with `inverse`, into their gradients.
void write_rotary(StepWriter& step, const LlamaMemory& memory, const QkvViews& qkv, bool inverse);

}  // namespace aaco
