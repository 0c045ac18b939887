// SPDX-License-Identifier: MIT
// A transformer's block with norms before its parts: middle = in + attention(norm(in)), out = middle +
// mlp(norm(middle)).
#pragma once

#include "workload/layers/attention.h"
#include "workload/layers/mlp.h"

namespace aaco {

struct TransformerBlock {
  Norm norm;
  SelfAttention attention;
  Mlp mlp;
};

struct TransformerBlockState {
  NormState norm;
  SelfAttentionState attention;
  Tensor middle;
  MlpState mlp;

  const Tensor& out() const { return mlp.out; }
};

struct TransformerBlockGrads {
  SelfAttentionGrads attention;
  Tensor in;
  MlpGrads mlp;  // mlp.in is the gradient of `middle`
};

TransformerBlock take_transformer_block(WeightBucket& bucket, int64_t cols, int32_t heads, int64_t hidden, bool causal);
TransformerBlockState make_block_state(WorkloadBuilder& builder, Precision precision, const TransformerBlock& block,
                                       int32_t batch, int32_t seq, int32_t rank = 0);
TransformerBlockGrads make_block_grads(WorkloadBuilder& builder, Precision precision, const TransformerBlock& block,
                                       int32_t batch, int32_t seq, int32_t rank = 0);

void block_forward(Program& program, int32_t stream, const TransformerBlock& block, const Tensor& in,
                   const TransformerBlockState& state, Precision precision);
// From out_grad to grads.in.
void block_backward(Program& program, int32_t stream, const TransformerBlock& block, const Tensor& in,
                    const TransformerBlockState& state, const Tensor& out_grad, const TransformerBlockGrads& grads,
                    Precision precision);
// May be on another stream, after the backward pass.
void block_weight_grads(Program& program, int32_t stream, const TransformerBlock& block,
                        const TransformerBlockState& state, const Tensor& out_grad, const TransformerBlockGrads& grads,
                        Precision precision, bool accumulate);

}  // namespace aaco
