// SPDX-License-Identifier: MIT
#include "workload/sharded/llama_model.h"

#include <cmath>
#include <cstring>
#include <mutex>

#include "workload/sharded/sharded_weights.h"
#include "workload/training/token_data.h"

namespace aaco {

namespace {

const double kRange = 0.02 * std::sqrt(3.0);  // of a uniform distribution with deviation 0.02

// In the order of the plan.
enum RootParameter : size_t { kEmbedding, kNorm, kHead };
enum LayerParameter : size_t { kNorm1, kQkv, kO, kNorm2, kGateUp, kDown };

LlamaWeights weights_of(const ShardedWeights& sharded, const LlamaShape& shape) {
  const int64_t hidden = shape.hidden;
  const int64_t kv = shape.kv_width();
  LlamaWeights llama;
  llama.embedding = sharded.parameters[0][kEmbedding];
  llama.norm = sharded.parameters[0][kNorm];
  llama.head = shape.tie_head ? llama.embedding : sharded.parameters[0][kHead];
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

// Tokens of every micro-step, one behind the other. All are made when the first batch is asked for.
class TokenSource {
 public:
  explicit TokenSource(const ShardedConfig& config) : config_(config) {}

  int64_t batch_tokens() const { return config_.llama.sequences * (config_.llama.length + 1); }
  void make(int64_t step, std::byte* to) {
    std::call_once(made_, [this] { make_all(); });
    const int64_t first = (step - 1) % config_.llama.batches * batch_tokens();
    const auto bytes = static_cast<size_t>(batch_tokens()) * sizeof(int32_t);
    for (const std::vector<int32_t>& micro : tokens_) {
      std::memcpy(to, micro.data() + first, bytes);
      to += bytes;
    }
  }

 private:
  void make_all() {
    for (int64_t micro = 0; micro < config_.micro_steps; ++micro) {
      tokens_.push_back(make_tokens(config_.micro_config(micro)));
    }
  }

  const ShardedConfig config_;
  std::once_flag made_;
  std::vector<std::vector<int32_t>> tokens_;
};

// All micro-steps share activations, each has its data and its losses.
class LlamaModel : public ShardedModel {
 public:
  LlamaModel(WorkloadBuilder& builder, const ShardedConfig& config, const ShardedWeights& weights)
      : weights_(weights_of(weights, config.llama.shape)), tokens_(std::make_shared<TokenSource>(config)) {
    for (int64_t i = 0; i < config.micro_steps; ++i) {
      configs_.push_back(config.micro_config(i));
      configs_.back().batches = 1;  // on the device
    }
    batch_ = builder.tensor(Dtype::kU8,
                            {config.micro_steps * tokens_->batch_tokens() * static_cast<int64_t>(sizeof(int32_t))});
    buffers_.push_back(make_llama_buffers(builder, configs_.front(), tokens_of(0)));
    all_ = buffers_.front();
    if (config.micro_steps > 1) {
      share_losses(builder, config);
    }
    for (size_t i = 0; i < configs_.size(); ++i) {
      micros_.push_back({configs_[i], weights_, buffers_[i]});
    }
    memory_ = std::make_unique<LlamaMemory>(LlamaMemory{configs_.front(), weights_, all_});
  }
  LlamaModel(const LlamaModel&) = delete;
  LlamaModel& operator=(const LlamaModel&) = delete;

  void write_forward(StepWriter& step, size_t micro, const LayerHooks& hooks) const override {
    write_llama_forward(step, micros_[micro], hooks);
  }
  void write_backward(StepWriter& step, size_t micro, const LayerHooks& hooks) const override {
    write_llama_backward(step, micros_[micro], [](const WeightRange&) {}, hooks);
  }
  BatchSource source() const override {
    return {batch_.bytes(), [tokens = tokens_](int64_t step, std::byte* to) { tokens->make(step, to); }};
  }
  const Tensor& batch() const override { return batch_; }
  const LlamaMemory& memory() const override { return *memory_; }

 private:
  Tensor tokens_of(int64_t micro) const {
    const LlamaConfig& config = configs_.front();
    Tensor tokens{batch_.data, Dtype::kI32, {1, config.sequences, config.length + 1}};
    return tokens.view(micro * tokens_->batch_tokens(), {1, config.sequences, config.length + 1});
  }
  void share_losses(WorkloadBuilder& builder, const ShardedConfig& config) {
    const int64_t tokens = config.llama.tokens();
    all_.loss = builder.tensor(Dtype::kF32, {config.micro_steps * tokens});
    all_.mean_loss = builder.tensor(Dtype::kF32, {config.micro_steps});
    for (int64_t i = 0; i < config.micro_steps; ++i) {
      if (i > 0) {
        buffers_.push_back(buffers_.front());
        buffers_.back().tokens = tokens_of(i);
      }
      buffers_.back().loss = all_.loss.view(i * tokens, {tokens});
      buffers_.back().mean_loss = all_.mean_loss.view(i, {1});
    }
  }

  LlamaWeights weights_;
  std::shared_ptr<TokenSource> tokens_;
  Tensor batch_;
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
  if (!shape.tie_head) {
    plan.root.parameters.push_back({"head", {shape.vocabulary, hidden}, kRange});
  }
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
