// SPDX-License-Identifier: MIT
// The memory of a step besides the weights: what the forward pass leaves for the backward pass, layer by layer, and
// where both work.
#pragma once

#include <functional>
#include <initializer_list>
#include <vector>

#include "device/ops/op_list.h"
#include "workload/builder.h"
#include "workload/training/llama_config.h"

namespace aaco {

// Queries, keys and values in one array: side by side in a row where one product makes them, else one behind the other.
struct QkvViews {
  Tensor all;  // [tokens, qkv_width]
  Tensor q;    // with pitch q_pitch; contiguous where not fused
  Tensor k;
  Tensor v;
  int64_t q_pitch = 0;
  int64_t kv_pitch = 0;
};

// The same of SwiGLU's two inputs.
struct GateUpViews {
  Tensor all;  // [tokens, 2 inner]
  Tensor gate;
  Tensor up;
  int64_t pitch = 0;
};

// Heads apart, keys and values as often as queries share them: [sequences, heads, length, head_dim] each.
struct SplitHeadsTensors {
  Tensor q;
  Tensor k;
  Tensor v;
};

struct LlamaLayerState {
  Tensor in;  // [tokens, hidden]
  Tensor norm1;
  Tensor norm1_rstd;        // fp32 [tokens]
  QkvViews qkv;             // q and k behind the rotation
  SplitHeadsTensors split;  // where attention is not fused
  Tensor scores;            // the same: its softmax [sequences, heads, length, length]
  Tensor log_sum;           // where it is fused
  Tensor mixed;             // [tokens, hidden]
  Tensor middle;
  Tensor norm2;
  Tensor norm2_rstd;
  GateUpViews gate_up;
  Tensor silu;    // where gate and up are not fused
  Tensor active;  // with `recompute` that of all layers, and the memory of active_grad
};

// Gradients in a layer that those of its weights are made of.
struct LlamaLayerGrads {
  Tensor in;      // of what it is given
  Tensor middle;  // between its two parts
  QkvViews qkv;
  GateUpViews gate_up;
};

struct LlamaBuffers {
  std::vector<LlamaLayerState> layers;
  // Layers take turns. Where gradients of weights are made beside the backward pass there are kGradSets, so that it may
  // be so many layers ahead; else one, with all gradients of the residual path in one place.
  std::vector<LlamaLayerGrads> layer_grads;
  Tensor last;  // what the last layer leaves
  Tensor norm;
  Tensor norm_rstd;
  Tensor logits;       // [tokens, vocabulary]
  Tensor logits_grad;  // the same memory where the loss is fused
  Tensor loss;         // fp32 [tokens]
  Tensor mean_loss;    // fp32 [1], where the loss is not fused

  Tensor part;  // [tokens, hidden]: what is added to the residual path; the same memory as norm_grad and mixed_grad
  Tensor last_grad;  // of what the last layer leaves
  Tensor norm_grad;
  Tensor partial_grad;  // one of several terms of norm_grad; where something is not fused
  Tensor mixed_grad;
  SplitHeadsTensors split_grad;
  Tensor mixed_split_grad;
  Tensor scores_grad;
  Tensor delta;
  Tensor active_grad;
  Tensor silu_grad;
  Tensor norm_parts;  // fp32 [llama_norm_parts, parts, hidden]: of the norms' weight gradients

  Tensor mask;    // [length, length]: 0, and minus infinity above the diagonal; where attention is not fused
  Tensor rotary;  // fp32 [length, head_dim / 2, 2]
  Tensor clock;
  Tensor tokens;  // int32 [batches, sequences, length + 1]
  Tensor inputs;  // int32 [sequences, length]
  Tensor targets;
  Tensor history;  // fp32 [steps]

  const LlamaLayerGrads& grads_of(size_t layer) const { return layer_grads[layer % layer_grads.size()]; }
};

inline constexpr size_t kGradSets = 3;

// Norms whose weight gradients lie in parts at a time: all, to be summed at once, or one.
inline int64_t llama_norm_parts(const LlamaConfig& config) {
  return config.fusions.norm ? 2 * config.shape.layers + 1 : 1;
}

// `tokens`: where they lie; none: they are made in setup.
LlamaBuffers make_llama_buffers(WorkloadBuilder& builder, const LlamaConfig& config, const Tensor& tokens = {});

// An array whose values the host makes: `write` is called when setup gets there, with memory that a copy may read.
Tensor make_from_host(WorkloadBuilder& builder, Dtype dtype, std::initializer_list<int64_t> dims,
                      const std::function<void(const Tensor& to)>& write);

}  // namespace aaco
