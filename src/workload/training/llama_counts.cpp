// SPDX-License-Identifier: MIT
#include "workload/training/llama_counts.h"

#include <algorithm>

#include "device/ops/op_list.h"
#include "workload/training/llama_weights.h"

namespace aaco {

ModelFlops llama_model_flops(const LlamaConfig& config) {
  const LlamaShape& shape = config.shape;
  const auto tokens = static_cast<double>(config.tokens());
  const auto hidden = static_cast<double>(shape.hidden);
  const double weights =
      hidden * (static_cast<double>(shape.qkv_width()) + hidden + 3.0 * static_cast<double>(shape.inner));
  const auto length = static_cast<double>(config.length);
  const double pairs = static_cast<double>(config.sequences) * length * (length + 1) / 2;
  const double layer = 2 * tokens * weights + 4 * pairs * hidden;
  ModelFlops flops;
  flops.forward =
      static_cast<double>(shape.layers) * layer + 2 * tokens * hidden * static_cast<double>(shape.vocabulary);
  flops.backward = 2 * flops.forward;
  return flops;
}

namespace {

constexpr double kFloatBytes = 4;

// Each weight begins at a multiple of 64 elements.
struct PaddedParameters {
  double layers = 0;  // without their norms
  double others = 0;
};

PaddedParameters padded_parameters(const LlamaShape& shape) {
  const auto padded = [](int64_t elements) {
    const int64_t packs = (elements + 63) / 64;
    return static_cast<double>(packs * 64);
  };
  const int64_t hidden = shape.hidden;
  const double layer = padded(shape.qkv_width() * hidden) + padded(hidden * hidden) + padded(2 * shape.inner * hidden) +
                       padded(shape.inner * hidden);
  return {static_cast<double>(shape.layers) * layer,
          (shape.tie_head ? 1 : 2) * padded(shape.vocabulary * hidden) + padded((2 * shape.layers + 1) * hidden)};
}

// Of one token, in elements of the precision.
double activations_of_layer(const LlamaConfig& config) {
  const LlamaShape& shape = config.shape;
  const auto hidden = static_cast<double>(shape.hidden);
  const auto inner = static_cast<double>(shape.inner);
  // Input, two norms, attention's result and what stands between the parts; queries, keys and values; SwiGLU's three.
  double elements = 5 * hidden + static_cast<double>(shape.qkv_width()) + (config.fusions.recompute ? 2 : 3) * inner;
  if (!config.fusions.gate_up) {
    elements += inner;
  }
  if (!config.fusions.attention) {
    elements += 3 * hidden + static_cast<double>(shape.heads * config.length);
  }
  return elements;
}

double working_of_token(const LlamaConfig& config) {
  const LlamaShape& shape = config.shape;
  const auto hidden = static_cast<double>(shape.hidden);
  const auto inner = static_cast<double>(shape.inner);
  const double of_layer = static_cast<double>(shape.qkv_width()) + 2 * inner;
  const LlamaFusions& fusions = config.fusions;
  const double terms =
      fusions.norm && fusions.qkv && fusions.gate_up ? 2 : 3;  // gradients of the residual path's width
  double elements = terms * hidden + inner + (config.fusions.beside ? 3 * (of_layer + 2 * hidden) : of_layer);
  if (!config.fusions.gate_up) {
    elements += inner;
  }
  if (!config.fusions.attention) {
    elements += 4 * hidden + static_cast<double>(shape.heads * config.length);
  }
  return elements;
}

}  // namespace

TrainingMemory llama_memory(const LlamaConfig& config) {
  const LlamaShape& shape = config.shape;
  const LlamaFusions& fusions = config.fusions;
  const auto tokens = static_cast<double>(config.tokens());
  const auto bytes = static_cast<double>(size_of(config.precision.dtype));
  const auto layers = static_cast<double>(shape.layers);
  const auto hidden = static_cast<double>(shape.hidden);
  const auto heads = static_cast<double>(shape.heads);
  const double norms = fusions.norm ? 2 * layers + 1 : 1;  // whose weight gradients lie in parts at a time
  const PaddedParameters padded = padded_parameters(shape);
  const double parameters = padded.layers + padded.others;
  TrainingMemory memory;
  memory.weights = parameters * (kFloatBytes + (config.precision.dtype == Dtype::kF32 ? 0 : bytes));
  memory.gradients = padded.layers * bytes + padded.others * kFloatBytes;
  memory.moments = 2 * parameters * kFloatBytes;
  const double statistics = kFloatBytes * (2 + (fusions.attention ? heads : 0));  // of norms, and log-sums
  const double logits = static_cast<double>(shape.vocabulary) * (fusions.loss ? 1 : 2);
  memory.activations = tokens * (layers * (bytes * activations_of_layer(config) + statistics) +
                                 bytes * (2 * hidden + logits) + 2 * kFloatBytes);
  memory.working = tokens * (bytes * working_of_token(config) + (fusions.attention ? kFloatBytes * heads : 0)) +
                   kFloatBytes * static_cast<double>(norm_grad_parts(config.tokens())) * norms * hidden;
  const auto length = static_cast<double>(config.length);
  memory.data = kFloatBytes * (static_cast<double>(config.steps) + length * static_cast<double>(shape.head_dim()) +
                               2 * tokens + static_cast<double>(config.batches * config.sequences) * (length + 1)) +
                (fusions.attention ? 0 : bytes * length * length);
  return memory;
}

std::optional<double> pytorch_peak_bytes(const LlamaConfig& config) {
  constexpr double kWorkspace = 32 << 20;
  constexpr double kPassingOfToken = 31'744;  // fitted
  const LlamaShape& shape = config.shape;
  if (shape.vocabulary != 1000 || shape.hidden != 512 || shape.inner != 4 * shape.hidden ||
      2 * shape.kv_heads != shape.heads || config.precision.dtype != Dtype::kF32) {
    return std::nullopt;
  }
  const auto tokens = static_cast<double>(config.tokens());
  const auto parameters = static_cast<double>(llama_parameter_count(shape));
  double of_token = 26.0 * static_cast<double>(shape.hidden);
  if (!config.fusions.attention) {
    of_token += static_cast<double>(shape.heads * config.length);
  }
  const double backward = 16 * parameters + kFloatBytes * static_cast<double>(shape.layers) * tokens * of_token +
                          kWorkspace + kPassingOfToken * tokens;
  return std::max(24 * parameters + kWorkspace, backward);
}

}  // namespace aaco
