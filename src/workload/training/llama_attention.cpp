// SPDX-License-Identifier: MIT
#include <cmath>

#include "workload/training/llama_passes.h"

namespace aaco {

namespace {

float scale_of(const LlamaConfig& config) {
  return static_cast<float>(1 / std::sqrt(static_cast<double>(config.shape.head_dim())));
}

AttentionLayout layout_of(const LlamaConfig& config, int64_t pitch) {
  return {config.length * pitch, pitch, config.shape.head_dim()};
}

AttentionArgs fused_attention(const LlamaMemory& memory, const LlamaLayerState& layer) {
  const LlamaConfig& config = memory.config;
  AttentionArgs args;
  args.q = layer.qkv.q.data;
  args.k = layer.qkv.k.data;
  args.v = layer.qkv.v.data;
  args.out = layer.mixed.data;
  args.log_sum = layer.log_sum.as<float>();
  args.q_layout = layout_of(config, layer.qkv.q_pitch);
  args.kv_layout = layout_of(config, layer.qkv.kv_pitch);
  args.out_layout = layout_of(config, config.shape.hidden);
  args.batch = static_cast<int32_t>(config.sequences);
  args.heads = static_cast<int32_t>(config.shape.heads);
  args.kv_heads = static_cast<int32_t>(config.shape.kv_heads);
  args.q_len = static_cast<int32_t>(config.length);
  args.kv_len = static_cast<int32_t>(config.length);
  args.head_dim = static_cast<int32_t>(config.shape.head_dim());
  args.scale = scale_of(config);
  args.causal = 1;
  args.dtype = config.precision.dtype;
  return args;
}

// Heads of rows `pitch` apart, to an array of their own.
SplitHeadsArgs split(const LlamaConfig& config, const Tensor& from, int64_t pitch, int64_t repeat, const Tensor& to) {
  return {.in = from.data,
          .out = to.data,
          .layout = layout_of(config, pitch),
          .batch = static_cast<int32_t>(config.sequences),
          .length = static_cast<int32_t>(config.length),
          .heads = static_cast<int32_t>(config.shape.heads),
          .head_dim = static_cast<int32_t>(config.shape.head_dim()),
          .repeat = static_cast<int32_t>(repeat),
          .dtype = from.dtype};
}

MergeHeadsArgs merge(const LlamaConfig& config, const Tensor& from, int64_t pitch, int64_t repeat, const Tensor& to) {
  return {.in = from.data,
          .out = to.data,
          .layout = layout_of(config, pitch),
          .batch = static_cast<int32_t>(config.sequences),
          .length = static_cast<int32_t>(config.length),
          .heads = static_cast<int32_t>(config.shape.heads),
          .head_dim = static_cast<int32_t>(config.shape.head_dim()),
          .repeat = static_cast<int32_t>(repeat),
          .dtype = from.dtype};
}

// A product for every head of every sequence: [m, k] by [k, n].
GemmArgs by_head(const LlamaConfig& config, const Tensor& a, const Tensor& b, const Tensor& c, bool transpose_a,
                 bool transpose_b) {
  const auto rows = [](const Tensor& tensor) { return tensor.dims[2]; };
  GemmArgs args;
  args.a = a.data;
  args.b = b.data;
  args.c = c.data;
  args.m = transpose_a ? a.cols() : rows(a);
  args.k = transpose_a ? rows(a) : a.cols();
  args.n = transpose_b ? rows(b) : b.cols();
  args.lda = a.cols();
  args.ldb = b.cols();
  args.ldc = c.cols();
  args.batch = config.sequences * config.shape.heads;
  args.stride_a = rows(a) * a.cols();
  args.stride_b = rows(b) * b.cols();
  args.stride_c = rows(c) * c.cols();
  args.transpose_a = transpose_a ? 1 : 0;
  args.transpose_b = transpose_b ? 1 : 0;
  args.in_dtype = a.dtype;
  args.out_dtype = c.dtype;
  args.math = config.precision.math;
  return args;
}

// The gradient of attention leaves those of what was turned.
bool turns_back_itself(const LlamaConfig& config) { return config.fusions.rotary && config.fusions.attention; }

}  // namespace

void write_attention_forward(StepWriter& step, const LlamaMemory& memory, const LlamaLayerState& layer) {
  const LlamaConfig& config = memory.config;
  if (config.fusions.attention) {
    step.op(StepPart::kAttention, fused_attention(memory, layer));
    return;
  }
  const int64_t repeat = config.shape.heads / config.shape.kv_heads;
  const SplitHeadsTensors& heads = layer.split;
  step.op(StepPart::kAttention, split(config, layer.qkv.q, layer.qkv.q_pitch, 1, heads.q));
  step.op(StepPart::kAttention, split(config, layer.qkv.k, layer.qkv.kv_pitch, repeat, heads.k));
  step.op(StepPart::kAttention, split(config, layer.qkv.v, layer.qkv.kv_pitch, repeat, heads.v));
  step.op(StepPart::kAttention, by_head(config, heads.q, heads.k, layer.scores, false, true));
  BinaryArgs masked{layer.scores.data, memory.buffers.mask.data, layer.scores.data, layer.scores.elements(),
                    config.length * config.length};
  masked.dtype = layer.scores.dtype;
  step.op(StepPart::kAttention, masked);
  step.op(StepPart::kAttention, SoftmaxArgs{layer.scores.data, layer.scores.data, layer.scores.rows(), config.length,
                                            scale_of(config), layer.scores.dtype});
  const Tensor& mixed = memory.buffers.mixed_split_grad;  // not needed before the backward pass
  step.op(StepPart::kAttention, by_head(config, layer.scores, heads.v, mixed, false, false));
  step.op(StepPart::kAttention, merge(config, mixed, config.shape.hidden, 1, layer.mixed));
}

void write_attention_backward(StepWriter& step, const LlamaMemory& memory, const LlamaLayerState& layer,
                              const QkvViews& qkv) {
  const LlamaConfig& config = memory.config;
  const LlamaBuffers& buffers = memory.buffers;
  if (config.fusions.attention) {
    AttentionGradArgs args;
    args.forward = fused_attention(memory, layer);
    args.out_grad = buffers.mixed_grad.data;
    args.dq = qkv.q.data;
    args.dk = qkv.k.data;
    args.dv = qkv.v.data;
    args.delta = buffers.delta.as<float>();
    args.turn = turns_back_itself(config) ? buffers.rotary.as<float>() : nullptr;
    step.op(StepPart::kAttention, args);
    return;
  }
  const int64_t repeat = config.shape.heads / config.shape.kv_heads;
  const SplitHeadsTensors& heads = layer.split;
  const SplitHeadsTensors& grads = buffers.split_grad;
  const Tensor& out_grad = buffers.mixed_split_grad;
  const Tensor& scores_grad = buffers.scores_grad;
  step.op(StepPart::kAttention, split(config, buffers.mixed_grad, config.shape.hidden, 1, out_grad));
  step.op(StepPart::kAttention, by_head(config, layer.scores, out_grad, grads.v, true, false));
  step.op(StepPart::kAttention, by_head(config, out_grad, heads.v, scores_grad, false, true));
  step.op(StepPart::kAttention,
          SoftmaxGradArgs{layer.scores.data, scores_grad.data, scores_grad.data, scores_grad.rows(), config.length,
                          scale_of(config), scores_grad.dtype});
  step.op(StepPart::kAttention, by_head(config, scores_grad, heads.k, grads.q, false, false));
  step.op(StepPart::kAttention, by_head(config, scores_grad, heads.q, grads.k, true, false));
  step.op(StepPart::kAttention, merge(config, grads.q, qkv.q_pitch, 1, qkv.q));
  step.op(StepPart::kAttention, merge(config, grads.k, qkv.kv_pitch, repeat, qkv.k));
  step.op(StepPart::kAttention, merge(config, grads.v, qkv.kv_pitch, repeat, qkv.v));
}

void write_rotary(StepWriter& step, const LlamaMemory& memory, const QkvViews& qkv, bool inverse) {
  const LlamaConfig& config = memory.config;
  if (inverse && turns_back_itself(config)) {
    return;
  }
  const auto turn = [&](const Tensor& heads, int64_t pitch, int64_t count) {
    RotaryArgs args;
    args.in = heads.data;
    args.out = heads.data;
    args.table = memory.buffers.rotary.as<float>();
    args.rows = config.tokens();
    args.pitch = pitch;
    args.heads = static_cast<int32_t>(count);
    args.head_dim = static_cast<int32_t>(config.shape.head_dim());
    args.length = static_cast<int32_t>(config.length);
    args.inverse = inverse ? 1 : 0;
    args.dtype = heads.dtype;
    step.op(StepPart::kRotary, args);
  };
  if (config.fusions.rotary && config.fusions.qkv) {
    turn(qkv.q, qkv.q_pitch, config.shape.heads + config.shape.kv_heads);
    return;
  }
  turn(qkv.q, qkv.q_pitch, config.shape.heads);
  turn(qkv.k, qkv.kv_pitch, config.shape.kv_heads);
}

}  // namespace aaco
