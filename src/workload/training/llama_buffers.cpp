// SPDX-License-Identifier: MIT
#include "workload/training/llama_buffers.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "device/ops/float_array.h"
#include "workload/training/token_data.h"

namespace aaco {

namespace {

Tensor make_token_array(WorkloadBuilder& builder, const LlamaConfig& config) {
  return make_from_host(builder, Dtype::kI32, {config.batches, config.sequences, config.length + 1},
                        [config](const Tensor& to) {
                          const std::vector<int32_t> tokens = make_tokens(config);
                          std::memcpy(to.data, tokens.data(), tokens.size() * sizeof(int32_t));
                        });
}

class BufferMaker {
 public:
  BufferMaker(WorkloadBuilder& builder, const LlamaConfig& config, const Tensor& tokens)
      : builder_(builder), config_(config), tokens_(tokens) {}

  LlamaBuffers make() {
    LlamaBuffers buffers;
    buffers.last = activations(config_.shape.hidden);
    add_layers(buffers);
    add_head(buffers);
    add_gradients(buffers);
    add_tables(buffers);
    return buffers;
  }

 private:
  Tensor activations(int64_t cols) { return builder_.tensor(config_.precision.dtype, {config_.tokens(), cols}); }
  Tensor per_token() { return builder_.tensor(Dtype::kF32, {config_.tokens()}); }

  QkvViews qkv() {
    const LlamaShape& shape = config_.shape;
    const int64_t hidden = shape.hidden;
    const int64_t kv = shape.kv_width();
    const int64_t tokens = config_.tokens();
    QkvViews views;
    views.all = activations(shape.qkv_width());
    if (config_.fusions.qkv) {
      views.q = views.all.view(0, {tokens, hidden});
      views.k = views.all.view(hidden, {tokens, kv});
      views.v = views.all.view(hidden + kv, {tokens, kv});
      views.q_pitch = shape.qkv_width();
      views.kv_pitch = shape.qkv_width();
    } else {
      views.q = views.all.view(0, {tokens, hidden});
      views.k = views.all.view(tokens * hidden, {tokens, kv});
      views.v = views.all.view(tokens * (hidden + kv), {tokens, kv});
      views.q_pitch = hidden;
      views.kv_pitch = kv;
    }
    return views;
  }

  GateUpViews gate_up() {
    const int64_t inner = config_.shape.inner;
    GateUpViews views;
    views.all = activations(2 * inner);
    views.pitch = config_.fusions.gate_up ? 2 * inner : inner;
    views.gate = views.all.view(0, {config_.tokens(), inner});
    views.up = views.all.view(config_.fusions.gate_up ? inner : config_.tokens() * inner, {config_.tokens(), inner});
    return views;
  }

  Tensor split_heads() {
    const LlamaShape& shape = config_.shape;
    return builder_.tensor(config_.precision.dtype, {config_.sequences, shape.heads, config_.length, shape.head_dim()});
  }
  Tensor scores() {
    return builder_.tensor(config_.precision.dtype,
                           {config_.sequences, config_.shape.heads, config_.length, config_.length});
  }
  Tensor per_query() { return builder_.tensor(Dtype::kF32, {config_.sequences, config_.shape.heads, config_.length}); }

  void add_layers(LlamaBuffers& buffers) {
    const int64_t hidden = config_.shape.hidden;
    buffers.active_grad = activations(config_.shape.inner);
    for (int64_t i = 0; i < config_.shape.layers; ++i) {
      LlamaLayerState& layer = buffers.layers.emplace_back();
      layer.in = activations(hidden);
      layer.norm1 = activations(hidden);
      layer.norm1_rstd = per_token();
      layer.qkv = qkv();
      if (config_.fusions.attention) {
        layer.log_sum = per_query();
      } else {
        layer.split = {split_heads(), split_heads(), split_heads()};
        layer.scores = scores();
      }
      layer.mixed = activations(hidden);
      layer.middle = activations(hidden);
      layer.norm2 = activations(hidden);
      layer.norm2_rstd = per_token();
      layer.gate_up = gate_up();
      if (!config_.fusions.gate_up) {
        layer.silu = activations(config_.shape.inner);
      }
      layer.active = config_.fusions.recompute ? buffers.active_grad : activations(config_.shape.inner);
    }
  }

  void add_head(LlamaBuffers& buffers) {
    buffers.norm = activations(config_.shape.hidden);
    buffers.norm_rstd = per_token();
    buffers.logits = activations(config_.shape.vocabulary);
    buffers.logits_grad = config_.fusions.loss ? buffers.logits : activations(config_.shape.vocabulary);
    buffers.loss = per_token();
    buffers.mean_loss = config_.fusions.loss ? Tensor{} : builder_.tensor(Dtype::kF32, {1});
  }

  void add_gradients(LlamaBuffers& buffers) {
    const LlamaShape& shape = config_.shape;
    buffers.last_grad = activations(shape.hidden);
    const bool apart = config_.fusions.beside;
    for (size_t i = 0; i < (apart ? kGradSets : 1); ++i) {
      LlamaLayerGrads& grads = buffers.layer_grads.emplace_back();
      grads.in = apart ? activations(shape.hidden) : buffers.last_grad;
      grads.middle = apart ? activations(shape.hidden) : buffers.last_grad;
      grads.qkv = qkv();
      grads.gate_up = gate_up();
    }
    buffers.norm_grad = activations(shape.hidden);
    buffers.part = buffers.norm_grad;
    buffers.mixed_grad = buffers.norm_grad;
    const LlamaFusions& fusions = config_.fusions;
    buffers.partial_grad = fusions.norm && fusions.qkv && fusions.gate_up ? Tensor{} : activations(shape.hidden);
    if (config_.fusions.attention) {
      buffers.delta = per_query();
    } else {
      buffers.split_grad = {split_heads(), split_heads(), split_heads()};
      buffers.mixed_split_grad = split_heads();
      buffers.scores_grad = scores();
    }
    if (!config_.fusions.gate_up) {
      buffers.silu_grad = activations(shape.inner);
    }
    buffers.norm_parts =
        builder_.tensor(Dtype::kF32, {llama_norm_parts(config_), norm_grad_parts(config_.tokens()), shape.hidden});
  }

  void add_tables(LlamaBuffers& buffers) {
    const LlamaShape& shape = config_.shape;
    const int64_t length = config_.length;
    const int64_t pairs = shape.head_dim() / 2;
    buffers.rotary =
        make_from_host(builder_, Dtype::kF32, {length, pairs, 2}, [=, theta = shape.theta](const Tensor& to) {
          for (int64_t i = 0; i < length * pairs; ++i) {
            const int64_t position = i / pairs;
            const double turns = std::pow(theta, -static_cast<double>(i % pairs) / static_cast<double>(pairs));
            const double angle = static_cast<double>(position) * turns;
            to.as<float>()[2 * i] = static_cast<float>(std::cos(angle));
            to.as<float>()[2 * i + 1] = static_cast<float>(std::sin(angle));
          }
        });
    if (!config_.fusions.attention) {
      buffers.mask = make_from_host(builder_, config_.precision.dtype, {length, length}, [length](const Tensor& to) {
        std::vector<float> row(static_cast<size_t>(length), -std::numeric_limits<float>::infinity());
        for (int64_t i = 0; i < length; ++i) {
          row[static_cast<size_t>(i)] = 0;
          write_floats(to.data, to.dtype, i * length, length, row.data());
        }
      });
    }
    buffers.tokens = tokens_.data != nullptr ? tokens_ : make_token_array(builder_, config_);
    buffers.inputs = builder_.tensor(Dtype::kI32, {config_.sequences, length});
    buffers.targets = builder_.tensor(Dtype::kI32, {config_.sequences, length});
    buffers.history = builder_.tensor(Dtype::kF32, {config_.steps});
    buffers.clock = builder_.tensor(Dtype::kU8, {static_cast<int64_t>(sizeof(TrainingClock))});
  }

  WorkloadBuilder& builder_;
  const LlamaConfig& config_;
  const Tensor& tokens_;
};

}  // namespace

LlamaBuffers make_llama_buffers(WorkloadBuilder& builder, const LlamaConfig& config, const Tensor& tokens) {
  return BufferMaker(builder, config, tokens).make();
}

Tensor make_from_host(WorkloadBuilder& builder, Dtype dtype, std::initializer_list<int64_t> dims,
                      const std::function<void(const Tensor& to)>& write) {
  const Tensor tensor = builder.tensor(dtype, dims);
  const Tensor pinned = builder.pinned(dtype, {tensor.elements()});
  builder.setup().host_step(0, [pinned, write]() -> Result<void> {
    write(pinned);
    return {};
  });
  builder.setup().copy(0, tensor.data, pinned.data, static_cast<size_t>(tensor.bytes()));
  return tensor;
}

}  // namespace aaco
