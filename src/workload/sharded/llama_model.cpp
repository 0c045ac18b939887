// SPDX-License-Identifier: MIT
#include "workload/sharded/llama_model.h"

#include <cmath>

#include "workload/sharded/sharded_weights.h"

namespace aaco {

namespace {

const double kRange = 0.02 * std::sqrt(3.0);  // of a uniform distribution with deviation 0.02

// In the order of the plan.
enum RootParameter : size_t { kEmbedding, kNorm };
enum LayerParameter : size_t { kNorm1, kQkv, kO, kNorm2, kGateUp, kDown };

LlamaWeights weights_of(const ShardedWeights& sharded, const LlamaShape& shape) {
  const int64_t hidden = shape.hidden;
  const int64_t kv = shape.kv_width();
  LlamaWeights llama;
  llama.embedding = sharded.parameters[0][kEmbedding];
  llama.norm = sharded.parameters[0][kNorm];
  for (int64_t i = 0; i < shape.layers; ++i) {
    const std::vector<Weight>& unit = sharded.parameters[ShardedWeights::unit_of(static_cast<size_t>(i))];
    LlamaLayerWeights& layer = llama.layers.emplace_back();
    layer.norm1 = unit[kNorm1];
    layer.qkv = unit[kQkv];
    layer.q = layer.qkv.part(0, {hidden, hidden});
    layer.k = layer.qkv.part(hidden * hidden, {kv, hidden});
    layer.v = layer.qkv.part((hidden + kv) * hidden, {kv, hidden});
    layer.o = unit[kO];
    layer.norm2 = unit[kNorm2];
    layer.gate_up = unit[kGateUp];
    layer.gate = layer.gate_up.part(0, {shape.inner, hidden});
    layer.up = layer.gate_up.part(shape.inner * hidden, {shape.inner, hidden});
    layer.down = unit[kDown];
  }
  llama.layer_ranges.resize(llama.layers.size());
  return llama;
}

// All micro-steps share activations, each has its data and its losses.
class LlamaModel : public ShardedModel {
 public:
  LlamaModel(WorkloadBuilder& builder, const ShardedConfig& config, const ShardedWeights& weights)
      : weights_(weights_of(weights, config.llama.shape)) {
    for (int64_t i = 0; i < config.micro_steps; ++i) {
      configs_.push_back(config.micro_config(i));
    }
    buffers_.push_back(make_llama_buffers(builder, configs_.front()));
    all_ = buffers_.front();
    if (config.micro_steps > 1) {
      share_losses(builder, config);
    }
    for (size_t i = 0; i < configs_.size(); ++i) {
      micros_.push_back({configs_[i], weights_, buffers_[i]});
    }
    memory_ = std::make_unique<LlamaMemory>(LlamaMemory{config.llama, weights_, all_});
  }
  LlamaModel(const LlamaModel&) = delete;
  LlamaModel& operator=(const LlamaModel&) = delete;

  void write_forward(StepWriter& step, size_t micro, const LayerHooks& hooks) const override {
    write_llama_forward(step, micros_[micro], hooks);
  }
  void write_backward(StepWriter& step, size_t micro, const LayerHooks& hooks) const override {
    write_llama_backward(step, micros_[micro], [](const WeightRange&) {}, hooks);
  }
  const LlamaMemory& memory() const override { return *memory_; }

 private:
  void share_losses(WorkloadBuilder& builder, const ShardedConfig& config) {
    const int64_t tokens = config.llama.tokens();
    all_.loss = builder.tensor(Dtype::kF32, {config.micro_steps * tokens});
    all_.mean_loss = builder.tensor(Dtype::kF32, {config.micro_steps});
    for (int64_t i = 0; i < config.micro_steps; ++i) {
      if (i > 0) {
        buffers_.push_back(buffers_.front());
        buffers_.back().tokens = make_token_array(builder, configs_[static_cast<size_t>(i)]);
      }
      buffers_.back().loss = all_.loss.view(i * tokens, {tokens});
      buffers_.back().mean_loss = all_.mean_loss.view(i, {1});
    }
  }

  LlamaWeights weights_;
  std::vector<LlamaConfig> configs_;
  std::vector<LlamaBuffers> buffers_;
  LlamaBuffers all_;
  std::vector<LlamaMemory> micros_;
  std::unique_ptr<LlamaMemory> memory_;
};

}  // namespace

ModelPlan plan_llama(const LlamaShape& shape) {
  const int64_t hidden = shape.hidden;
  const int64_t kv = shape.kv_width();
  ModelPlan plan;
  plan.layers = shape.layers;
  plan.root.parameters = {{"embedding", {shape.vocabulary, hidden}, kRange}, {"norm", {hidden}, 0, 1}};
  plan.layer.parameters = {
      {"norm1", {hidden}, 0, 1},
      {"qkv", {shape.qkv_width(), hidden}, kRange, 0, {{"q", hidden * hidden}, {"k", kv * hidden}, {"v", kv * hidden}}},
      {"o", {hidden, hidden}, kRange},
      {"norm2", {hidden}, 0, 1},
      {"gate_up", {2 * shape.inner, hidden}, kRange, 0, {{"gate", shape.inner * hidden}, {"up", shape.inner * hidden}}},
      {"down", {hidden, shape.inner}, kRange}};
  return plan;
}

std::unique_ptr<ShardedModel> make_llama_model(WorkloadBuilder& builder, const ShardedConfig& config,
                                               const ShardedWeights& weights) {
  return std::make_unique<LlamaModel>(builder, config, weights);
}

}  // namespace aaco
