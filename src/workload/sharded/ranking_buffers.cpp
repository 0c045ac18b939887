// SPDX-License-Identifier: MIT
#include "workload/sharded/ranking_buffers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <mutex>

#include "device/ops/op_work.h"

namespace aaco {

namespace {

// Where a step's data lies in memory of the device or of the host: a micro-step behind the other, in each its arrays.
class RankingLayout {
 public:
  explicit RankingLayout(const ShardedConfig& config) : config_(config) {}

  int64_t bytes() const {  // of a micro-step
    int64_t total = 0;
    for (const Array& array : arrays()) {
      total += padded_bytes(array);
    }
    return total;
  }
  RankingData data_at(std::byte* batch, int64_t micro) const {
    std::array<Tensor, kArrays> tensors;
    std::byte* at = batch == nullptr ? nullptr : batch + micro * bytes();
    const auto members = arrays();
    for (size_t i = 0; i < kArrays; ++i) {
      tensors[i] = {at, members[i].dtype, {config_.llama.tokens(), members[i].cols}};
      at = at == nullptr ? nullptr : at + padded_bytes(members[i]);
    }
    return {tensors[0], tensors[1], tensors[2], tensors[3]};
  }

 private:
  struct Array {
    Dtype dtype;
    int64_t cols;
  };
  static constexpr size_t kArrays = 4;

  std::array<Array, kArrays> arrays() const {
    const RankingShape& ranking = *config_.ranking;
    return {Array{config_.llama.precision.dtype, ranking.dense}, Array{Dtype::kI32, ranking.categories},
            Array{Dtype::kF32, 1}, Array{Dtype::kF32, 1}};
  }
  int64_t padded_bytes(const Array& array) const {
    constexpr int64_t kAlignment = 256;
    const int64_t bytes = config_.llama.tokens() * array.cols * size_of(array.dtype);
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }

  const ShardedConfig& config_;
};

// Draws each sequence by numbers of its own, so that it does not matter which rank has it.
class RankingDraw {
 public:
  explicit RankingDraw(const ShardedConfig& config) : config_(config) {}

  int64_t bytes() const { return config_.micro_steps * RankingLayout(config_).bytes(); }
  int64_t batches() const { return std::min(kKeptBatches, config_.llama.batches); }
  int64_t batch_of(int64_t step) const { return (step - 1) % config_.llama.batches % batches(); }
  void make(int64_t batch, std::byte* to) const {
    for (int64_t micro = 0; micro < config_.micro_steps; ++micro) {
      const LlamaConfig part = config_.micro_config(micro);
      const RankingData data = RankingLayout(config_).data_at(to, micro);
      for (int64_t i = 0; i < part.sequences; ++i) {
        const int64_t sequence = (batch * part.ranks + part.rank) * part.sequences + i;
        draw(data.dense, i, 4 * sequence, -std::sqrt(3.0), std::sqrt(3.0));
        draw(data.categories, i, 4 * sequence + 1, 0, static_cast<double>(config_.llama.shape.vocabulary));
        draw(data.target, i, 4 * sequence + 2, 0, 1);
        draw(data.weight, i, 4 * sequence + 3, 0, 1);
      }
    }
  }

 private:
  // The rows of sequence `sequence` of a table, by stream `stream` of random numbers.
  void draw(const Tensor& table, int64_t sequence, int64_t stream, double low, double high) const {
    constexpr uint64_t kData = uint64_t{1} << 40;  // apart from the weights' seeds
    const int64_t elements = config_.llama.length * table.cols();
    void* const at = table.view(sequence * elements, {}).data;
    run_on_cpu(RandomArgs{at, elements, kData + (config_.llama.seed << 42) + static_cast<uint64_t>(stream), low, high,
                          table.dtype});
  }

  const ShardedConfig config_;
};

// Batches that were made once are kept, where all of them are not too much of the host's memory.
class RankingSource {
 public:
  explicit RankingSource(const ShardedConfig& config) : draw_(config) {
    constexpr int64_t kMostBytes = int64_t{512} << 20;
    const bool kept = draw_.batches() * draw_.bytes() <= kMostBytes;
    made_ = std::vector<BatchBytes>(kept ? static_cast<size_t>(draw_.batches()) : 0);
  }

  void make(int64_t step, std::byte* to) {
    const int64_t batch = draw_.batch_of(step);
    if (made_.empty()) {
      return draw_.make(batch, to);
    }
    BatchBytes& batch_bytes = made_[static_cast<size_t>(batch)];
    std::call_once(batch_bytes.once, [&] {
      batch_bytes.bytes.resize(static_cast<size_t>(draw_.bytes()));
      draw_.make(batch, batch_bytes.bytes.data());
    });
    std::copy(batch_bytes.bytes.begin(), batch_bytes.bytes.end(), to);
  }

 private:
  struct BatchBytes {
    std::once_flag once;
    std::vector<std::byte> bytes;
  };

  RankingDraw draw_;
  std::vector<BatchBytes> made_;
};

class RankingBufferMaker {
 public:
  RankingBufferMaker(WorkloadBuilder& builder, const ShardedConfig& config)
      : builder_(builder),
        config_(config),
        shape_(config.llama.shape),
        ranking_(*config.ranking),
        tokens_(config.llama.tokens()) {}

  RankingBuffers make(const std::vector<SelfAttention>& attentions) {
    buffers_.batch = builder_.tensor(Dtype::kU8, {config_.micro_steps * RankingLayout(config_).bytes()});
    buffers_.all_losses = builder_.tensor(Dtype::kF32, {config_.micro_steps * tokens_});
    for (int64_t micro = 0; micro < config_.micro_steps; ++micro) {
      buffers_.data.push_back(RankingLayout(config_).data_at(buffers_.batch.as<std::byte>(), micro));
      buffers_.losses.push_back(buffers_.all_losses.view(micro * tokens_, {tokens_}));
    }
    add_inputs();
    for (const SelfAttention& attention : attentions) {
      add_layer(attention);
    }
    add_score();
    add_gradients(attentions.front());
    buffers_.history = builder_.tensor(Dtype::kF32, {config_.llama.steps});
    buffers_.clock = builder_.tensor(Dtype::kU8, {static_cast<int64_t>(sizeof(TrainingClock))});
    return std::move(buffers_);
  }

 private:
  Tensor of_tokens(int64_t cols) { return builder_.tensor(config_.llama.precision.dtype, {tokens_, cols}); }
  Tensor wide(int64_t cols) { return builder_.tensor(Dtype::kF32, {tokens_, cols}); }
  NormState norm() { return make_norm_state(builder_, config_.llama.precision, tokens_, shape_.hidden); }

  void add_inputs() {
    buffers_.pooled = of_tokens(ranking_.embedding);
    buffers_.in = of_tokens(shape_.hidden);
    buffers_.part = of_tokens(shape_.hidden);
  }

  void add_layer(const SelfAttention& attention) {
    RankingLayerState& layer = buffers_.layers.emplace_back();
    layer.attention =
        make_attention_state(builder_, config_.llama.precision, attention,
                             static_cast<int32_t>(config_.llama.sequences), static_cast<int32_t>(config_.llama.length));
    layer.sum1 = of_tokens(shape_.hidden);
    layer.norm1 = norm();
    layer.hidden = of_tokens(shape_.inner);
    layer.active = of_tokens(shape_.inner);
    layer.sum2 = of_tokens(shape_.hidden);
    layer.norm2 = norm();
  }

  void add_score() {
    buffers_.norm = norm();
    buffers_.score_hidden = of_tokens(shape_.inner);
    buffers_.score_active = of_tokens(shape_.inner);
    buffers_.score = of_tokens(1);
  }

  void add_gradients(const SelfAttention& attention) {
    buffers_.score_grad = of_tokens(1);
    buffers_.inner_grad = of_tokens(shape_.inner);
    buffers_.sum_grad = of_tokens(shape_.hidden);
    buffers_.out_grad = of_tokens(shape_.hidden);
    buffers_.attention_grads =
        make_attention_grads(builder_, config_.llama.precision, attention,
                             static_cast<int32_t>(config_.llama.sequences), static_cast<int32_t>(config_.llama.length));
    buffers_.pooled_grad = of_tokens(ranking_.embedding);
  }

  WorkloadBuilder& builder_;
  const ShardedConfig& config_;
  const LlamaShape& shape_;
  const RankingShape& ranking_;
  int64_t tokens_;
  RankingBuffers buffers_;
};

}  // namespace

RankingData ranking_data_at(const ShardedConfig& config, std::byte* batch, int64_t micro) {
  return RankingLayout(config).data_at(batch, micro);
}

BatchSource ranking_source(const ShardedConfig& config) {
  return {config.micro_steps * RankingLayout(config).bytes(),
          [source = std::make_shared<RankingSource>(config)](int64_t step, std::byte* to) { source->make(step, to); }};
}

RankingBuffers make_ranking_buffers(WorkloadBuilder& builder, const ShardedConfig& config,
                                    const std::vector<SelfAttention>& attentions) {
  return RankingBufferMaker(builder, config).make(attentions);
}

}  // namespace aaco
