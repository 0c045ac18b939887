// SPDX-License-Identifier: MIT
#include "workload/training/llama_weights.h"

#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace aaco {

namespace {

constexpr double kDeviation = 0.02;

LlamaLayerWeights take_layer(WeightBucket& bucket, const LlamaShape& shape) {
  LlamaLayerWeights layer;
  layer.qkv = bucket.take({shape.qkv_width(), shape.hidden});
  layer.o = bucket.take({shape.hidden, shape.hidden});
  layer.gate_up = bucket.take({2 * shape.inner, shape.hidden});
  layer.down = bucket.take({shape.hidden, shape.inner});
  return layer;
}

// The parts of what is one matrix, once there is memory.
void find_parts(LlamaLayerWeights& layer, const LlamaShape& shape) {
  const int64_t hidden = shape.hidden;
  const int64_t kv = shape.kv_width();
  layer.q = layer.qkv.part(0, {hidden, hidden});
  layer.k = layer.qkv.part(hidden * hidden, {kv, hidden});
  layer.v = layer.qkv.part((hidden + kv) * hidden, {kv, hidden});
  layer.gate = layer.gate_up.part(0, {shape.inner, hidden});
  layer.up = layer.gate_up.part(shape.inner * hidden, {shape.inner, hidden});
}

void name_weights(LlamaWeights& weights, bool tie_head) {
  weights.named.push_back({"embedding", weights.embedding, -1});
  for (size_t i = 0; i < weights.layers.size(); ++i) {
    const LlamaLayerWeights& layer = weights.layers[i];
    const auto add = [&](const char* name, const Weight& weight) {
      weights.named.push_back({fmt::format("layers.{}.{}", i, name), weight, static_cast<int32_t>(i)});
    };
    add("norm1", layer.norm1);
    add("q", layer.q);
    add("k", layer.k);
    add("v", layer.v);
    add("o", layer.o);
    add("norm2", layer.norm2);
    add("gate", layer.gate);
    add("up", layer.up);
    add("down", layer.down);
  }
  weights.named.push_back({"norm", weights.norm, -1});
  if (!tie_head) {
    weights.named.push_back({"head", weights.head, -1});
  }
}

void find_ranges(LlamaWeights& weights) {
  std::vector<int64_t> starts;
  for (const LlamaLayerWeights& layer : weights.layers) {
    starts.push_back(first_element(weights, layer.qkv));
  }
  starts.push_back(first_element(weights, weights.norms));
  weights.embedding_range = {0, starts.front()};
  for (size_t i = 0; i + 1 < starts.size(); ++i) {
    weights.layer_ranges.push_back({starts[i], starts[i + 1]});
  }
  weights.norm_range = {starts.back(), weights.masters.elements()};
}

}  // namespace

LlamaWeights make_llama_weights(WorkloadBuilder& builder, const LlamaConfig& config) {
  const LlamaShape& shape = config.shape;
  LlamaWeights weights;
  const WeightBucket bucket =
      WeightBucket::make(builder, config.precision, kDeviation * std::sqrt(3.0), 0, [&](WeightBucket& taking) {
        weights.embedding = taking.take({shape.vocabulary, shape.hidden});
        weights.head = shape.tie_head ? weights.embedding : taking.take({shape.vocabulary, shape.hidden});
        weights.layers.clear();
        taking.take_low_grads(true);
        for (int64_t i = 0; i < shape.layers; ++i) {
          weights.layers.push_back(take_layer(taking, shape));
        }
        taking.take_low_grads(false);
        weights.norms = taking.take({2 * shape.layers + 1, shape.hidden});
        taking.fill(weights.norms, 1);
      });
  int64_t first = 0;
  const auto next_norm = [&] { return weights.norms.part(std::exchange(first, first + shape.hidden), {shape.hidden}); };
  for (LlamaLayerWeights& layer : weights.layers) {
    layer.norm1 = next_norm();
    layer.norm2 = next_norm();
    find_parts(layer, shape);
  }
  weights.norm = next_norm();
  weights.values = bucket.values();
  weights.masters = bucket.masters();
  weights.grads = bucket.grads();
  weights.low_grads = bucket.low_grads();
  if (weights.low_grads.data != nullptr) {
    weights.low_range = {bucket.low_from(), bucket.low_from() + weights.low_grads.elements()};
  }
  weights.first = builder.tensor(Dtype::kF32, {bucket.elements()});
  weights.second = builder.tensor(Dtype::kF32, {bucket.elements()});
  name_weights(weights, shape.tie_head);
  find_ranges(weights);
  return weights;
}

int64_t first_element(const LlamaWeights& weights, const Weight& weight) {
  return weight.master.as<float>() - weights.masters.as<float>();
}

int64_t llama_parameter_count(const LlamaShape& shape) {
  const int64_t attention = shape.qkv_width() * shape.hidden + shape.hidden * shape.hidden;
  const int64_t swiglu = 3 * shape.inner * shape.hidden;
  return (shape.tie_head ? 1 : 2) * shape.vocabulary * shape.hidden +
         shape.layers * (attention + swiglu + 2 * shape.hidden) + shape.hidden;
}

}  // namespace aaco
