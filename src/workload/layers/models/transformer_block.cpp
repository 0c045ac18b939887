// SPDX-License-Identifier: MIT
#include "workload/layers/models/transformer_block.h"

namespace aaco {

TransformerBlock take_transformer_block(WeightBucket& bucket, int64_t cols, int32_t heads, int64_t hidden,
                                        bool causal) {
  TransformerBlock block;
  block.norm = take_norm(bucket, cols);
  block.attention = take_attention(bucket, cols, heads, static_cast<int32_t>(cols / heads), causal);
  block.mlp = take_mlp(bucket, cols, hidden, UnaryOp::kGelu);
  return block;
}

TransformerBlockState make_block_state(WorkloadBuilder& builder, Precision precision, const TransformerBlock& block,
                                       int32_t batch, int32_t seq, int32_t rank) {
  TransformerBlockState state;
  const int64_t rows = int64_t{batch} * seq;
  const int64_t cols = block.attention.projection.weight.value.cols();
  state.norm = make_norm_state(builder, precision, rows, cols, rank);
  state.attention = make_attention_state(builder, precision, block.attention, batch, seq, rank);
  state.middle = builder.tensor(precision.dtype, {rows, cols}, rank);
  state.mlp = make_mlp_state(builder, precision, block.mlp, rows, rank);
  return state;
}

TransformerBlockGrads make_block_grads(WorkloadBuilder& builder, Precision precision, const TransformerBlock& block,
                                       int32_t batch, int32_t seq, int32_t rank) {
  TransformerBlockGrads grads;
  const int64_t rows = int64_t{batch} * seq;
  grads.attention = make_attention_grads(builder, precision, block.attention, batch, seq, rank);
  grads.in = builder.tensor(precision.dtype, {rows, block.attention.projection.weight.value.cols()}, rank);
  grads.mlp = make_mlp_grads(builder, precision, block.mlp, rows, rank);
  return grads;
}

void block_forward(Program& program, int32_t stream, const TransformerBlock& block, const Tensor& in,
                   const TransformerBlockState& state, Precision precision) {
  norm_forward(program, stream, block.norm, in, state.norm);
  attention_forward(program, stream, block.attention, state.norm.out, state.attention, state.middle, precision);
  add_to(program, stream, state.middle, in);
  mlp_forward(program, stream, block.mlp, state.middle, state.mlp, precision);
}

void block_backward(Program& program, int32_t stream, const TransformerBlock& block, const Tensor& in,
                    const TransformerBlockState& state, const Tensor& out_grad, const TransformerBlockGrads& grads,
                    Precision precision) {
  mlp_backward(program, stream, block.mlp, state.middle, state.mlp, out_grad, grads.mlp, precision);
  attention_backward(program, stream, block.attention, state.attention, grads.mlp.in, grads.attention, precision);
  norm_backward(program, stream, block.norm, in, state.norm, grads.attention.in, grads.in);
  add_to(program, stream, grads.in, grads.mlp.in);
}

void block_weight_grads(Program& program, int32_t stream, const TransformerBlock& block,
                        const TransformerBlockState& state, const Tensor& out_grad, const TransformerBlockGrads& grads,
                        Precision precision, bool accumulate) {
  mlp_weight_grads(program, stream, block.mlp, state.mlp, out_grad, grads.mlp, precision, accumulate);
  attention_weight_grads(program, stream, block.attention, state.norm.out, state.attention, grads.mlp.in,
                         grads.attention, precision, accumulate);
  norm_weight_grads(program, stream, block.norm, state.norm, accumulate);
}

}  // namespace aaco
