// SPDX-License-Identifier: MIT
#include "workload/layers/attention.h"

#include <cmath>

namespace aaco {

namespace {

AttentionArgs core_of(const SelfAttention& attention, const SelfAttentionState& state) {
  const int64_t width = int64_t{attention.heads} * attention.head_dim;
  AttentionArgs args;
  args.q = state.qkv.data;
  args.k = state.qkv.view(width, {1}).data;
  args.v = state.qkv.view(2 * width, {1}).data;
  args.out = state.mixed.data;
  args.log_sum = state.log_sum.as<float>();
  args.q_layout = {int64_t{state.seq} * 3 * width, 3 * width, attention.head_dim};
  args.kv_layout = args.q_layout;
  args.out_layout = {state.seq * width, width, attention.head_dim};
  args.batch = state.batch;
  args.heads = attention.heads;
  args.kv_heads = attention.heads;
  args.q_len = state.seq;
  args.kv_len = state.seq;
  args.head_dim = attention.head_dim;
  args.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(attention.head_dim)));
  args.causal = attention.causal ? 1 : 0;
  args.dtype = state.qkv.dtype;
  return args;
}

}  // namespace

SelfAttention take_attention(WeightBucket& bucket, int64_t cols, int32_t heads, int32_t head_dim, bool causal) {
  SelfAttention attention;
  const int64_t width = int64_t{heads} * head_dim;
  attention.qkv = take_linear(bucket, cols, 3 * width);
  attention.projection = take_linear(bucket, width, cols);
  attention.heads = heads;
  attention.head_dim = head_dim;
  attention.causal = causal;
  return attention;
}

SelfAttentionState make_attention_state(WorkloadBuilder& builder, Precision precision, const SelfAttention& attention,
                                        int32_t batch, int32_t seq, int32_t rank) {
  SelfAttentionState state;
  const int64_t rows = int64_t{batch} * seq;
  const int64_t width = int64_t{attention.heads} * attention.head_dim;
  state.batch = batch;
  state.seq = seq;
  state.qkv = builder.tensor(precision.dtype, {rows, 3 * width}, rank);
  state.mixed = builder.tensor(precision.dtype, {rows, width}, rank);
  state.log_sum = builder.tensor(Dtype::kF32, {batch, attention.heads, seq}, rank);
  return state;
}

SelfAttentionGrads make_attention_grads(WorkloadBuilder& builder, Precision precision, const SelfAttention& attention,
                                        int32_t batch, int32_t seq, int32_t rank) {
  SelfAttentionGrads grads;
  const int64_t rows = int64_t{batch} * seq;
  const int64_t width = int64_t{attention.heads} * attention.head_dim;
  grads.mixed = builder.tensor(precision.dtype, {rows, width}, rank);
  grads.qkv = builder.tensor(precision.dtype, {rows, 3 * width}, rank);
  grads.delta = builder.tensor(Dtype::kF32, {batch, attention.heads, seq}, rank);
  grads.in = builder.tensor(precision.dtype, {rows, attention.projection.weight.value.cols()}, rank);
  return grads;
}

Tensor make_attention_pairs(WorkloadBuilder& builder, Precision precision, const SelfAttention& attention,
                            int32_t batch, int32_t seq, int32_t rank) {
  constexpr int64_t kMostBytes = int64_t{256} << 20;
  const int64_t rows = int64_t{2} * batch * attention.heads * seq;
  if (precision.dtype != Dtype::kF32 || rows * seq * size_of(Dtype::kF32) > kMostBytes) {
    return {};
  }
  return builder.tensor(Dtype::kF32, {rows, seq}, rank);
}

void attention_forward(Program& program, int32_t stream, const SelfAttention& attention, const Tensor& in,
                       const SelfAttentionState& state, const Tensor& out, Precision precision) {
  linear_forward(program, stream, attention.qkv, in, state.qkv, precision);
  program.op(stream, core_of(attention, state));
  linear_forward(program, stream, attention.projection, state.mixed, out, precision);
}

void attention_inner_backward(Program& program, int32_t stream, const SelfAttention& attention,
                              const SelfAttentionState& state, const Tensor& out_grad, const SelfAttentionGrads& grads,
                              Precision precision) {
  const int64_t width = int64_t{attention.heads} * attention.head_dim;
  linear_input_grad(program, stream, attention.projection, out_grad, grads.mixed, precision);
  AttentionGradArgs core;
  core.forward = core_of(attention, state);
  core.out_grad = grads.mixed.data;
  core.dq = grads.qkv.data;
  core.dk = grads.qkv.view(width, {1}).data;
  core.dv = grads.qkv.view(2 * width, {1}).data;
  core.delta = grads.delta.as<float>();
  core.pairs = grads.pairs.as<float>();
  program.op(stream, core);
}

void attention_backward(Program& program, int32_t stream, const SelfAttention& attention,
                        const SelfAttentionState& state, const Tensor& out_grad, const SelfAttentionGrads& grads,
                        Precision precision) {
  attention_inner_backward(program, stream, attention, state, out_grad, grads, precision);
  linear_input_grad(program, stream, attention.qkv, grads.qkv, grads.in, precision);
}

void attention_weight_grads(Program& program, int32_t stream, const SelfAttention& attention, const Tensor& in,
                            const SelfAttentionState& state, const Tensor& out_grad, const SelfAttentionGrads& grads,
                            Precision precision, bool accumulate, bool biases_are_zero) {
  linear_weight_grads(program, stream, attention.projection, state.mixed, out_grad, precision, accumulate,
                      biases_are_zero);
  linear_weight_grads(program, stream, attention.qkv, in, grads.qkv, precision, accumulate, biases_are_zero);
}

}  // namespace aaco
