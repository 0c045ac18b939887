// SPDX-License-Identifier: MIT
// Self-attention over whole sequences with its linear layers and gradients: projection(attend(qkv(in))). The norm
// before it and the residual path around it are the caller's: in tensor parallelism a collective stands between.
#pragma once

#include "workload/layers/linear.h"

namespace aaco {

struct SelfAttention {
  Linear qkv;         // [cols, 3 * heads * head_dim]: queries of all heads, then keys, then values
  Linear projection;  // [heads * head_dim, cols]
  int32_t heads = 0;
  int32_t head_dim = 0;
  bool causal = false;
};

// What a forward pass over batch x seq rows leaves for the backward pass.
struct SelfAttentionState {
  int32_t batch = 0;
  int32_t seq = 0;
  Tensor qkv;
  Tensor mixed;    // [rows, heads * head_dim], before the projection
  Tensor log_sum;  // fp32 [batch, heads, seq]
};

// The weights' gradients read `qkv` and the gradient of the projection's output.
struct SelfAttentionGrads {
  Tensor mixed;
  Tensor qkv;
  Tensor delta;  // scratch
  Tensor pairs;  // scratch, from make_attention_pairs; none: more arithmetic
  Tensor in;
};

SelfAttention take_attention(WeightBucket& bucket, int64_t cols, int32_t heads, int32_t head_dim, bool causal);
SelfAttentionState make_attention_state(WorkloadBuilder& builder, Precision precision, const SelfAttention& attention,
                                        int32_t batch, int32_t seq, int32_t rank = 0);
SelfAttentionGrads make_attention_grads(WorkloadBuilder& builder, Precision precision, const SelfAttention& attention,
                                        int32_t batch, int32_t seq, int32_t rank = 0);

// Scratch that the gradients of layers of this shape may share, one after the other. None where it would be larger than
// 256 MiB, or is of no use: in the narrow types.
Tensor make_attention_pairs(WorkloadBuilder& builder, Precision precision, const SelfAttention& attention,
                            int32_t batch, int32_t seq, int32_t rank = 0);

void attention_forward(Program& program, int32_t stream, const SelfAttention& attention, const Tensor& in,
                       const SelfAttentionState& state, const Tensor& out, Precision precision);
// From out_grad to grads.qkv.
void attention_inner_backward(Program& program, int32_t stream, const SelfAttention& attention,
                              const SelfAttentionState& state, const Tensor& out_grad, const SelfAttentionGrads& grads,
                              Precision precision);
// From out_grad to grads.in.
void attention_backward(Program& program, int32_t stream, const SelfAttention& attention,
                        const SelfAttentionState& state, const Tensor& out_grad, const SelfAttentionGrads& grads,
                        Precision precision);
// May be on another stream, after the backward pass.
void attention_weight_grads(Program& program, int32_t stream, const SelfAttention& attention, const Tensor& in,
                            const SelfAttentionState& state, const Tensor& out_grad, const SelfAttentionGrads& grads,
                            Precision precision, bool accumulate, bool biases_are_zero = false);

}  // namespace aaco
