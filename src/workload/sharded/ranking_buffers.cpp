// SPDX-License-Identifier: MIT
#include "workload/sharded/ranking_buffers.h"

#include <algorithm>
#include <cmath>

#include "device/ops/float_array.h"

namespace aaco {

namespace {

class RankingBufferMaker {
 public:
  RankingBufferMaker(WorkloadBuilder& builder, const ShardedConfig& config)
      : builder_(builder),
        config_(config),
        shape_(config.llama.shape),
        ranking_(*config.ranking),
        tokens_(config.llama.tokens()),
        kept_(std::min(kKeptBatches, config.llama.batches)) {}

  RankingBuffers make(const std::vector<SelfAttention>& attentions) {
    buffers_.all_losses = builder_.tensor(Dtype::kF32, {config_.micro_steps * tokens_});
    for (int64_t micro = 0; micro < config_.micro_steps; ++micro) {
      buffers_.data.push_back(make_data(micro));
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

  // Each sequence of a batch by numbers of its own, so that it does not matter which rank has it.
  RankingData make_data(int64_t micro) {
    RankingData data;
    const int64_t rows = kept_ * tokens_;
    data.dense = builder_.tensor(config_.llama.precision.dtype, {rows, ranking_.dense});
    data.categories = builder_.tensor(Dtype::kI32, {rows, ranking_.categories});
    data.target = builder_.tensor(Dtype::kF32, {rows});
    data.weight = builder_.tensor(Dtype::kF32, {rows});
    const LlamaConfig part = config_.micro_config(micro);
    const int64_t sequences = config_.llama.sequences;
    for (int64_t i = 0; i < kept_ * sequences; ++i) {
      const int64_t batch = i / sequences;
      const int64_t sequence = (batch * part.ranks + part.rank) * sequences + i % sequences;
      draw(data.dense, i, 4 * sequence, -std::sqrt(3.0), std::sqrt(3.0));
      draw(data.categories, i, 4 * sequence + 1, 0, static_cast<double>(shape_.vocabulary));
      draw(data.target, i, 4 * sequence + 2, 0, 1);
      draw(data.weight, i, 4 * sequence + 3, 0, 1);
    }
    return data;
  }

  // The rows of sequence `sequence`.
  void draw(const Tensor& table, int64_t sequence, int64_t stream, double low, double high) {
    constexpr uint64_t kData = uint64_t{1} << 40;  // apart from the weights' seeds
    const int64_t elements = config_.llama.length * table.elements() / (kept_ * tokens_);
    void* const at = table.view(sequence * elements, {}).data;
    builder_.setup().op(0, RandomArgs{at, elements, kData + (config_.llama.seed << 42) + static_cast<uint64_t>(stream),
                                      low, high, table.dtype});
  }

  void add_inputs() {
    const int64_t batches = config_.llama.batches;
    buffers_.row_numbers = make_from_host(
        builder_, Dtype::kI32, {batches, tokens_}, [=, kept = kept_, tokens = tokens_](const Tensor& to) {
          for (int64_t i = 0; i < batches * tokens; ++i) {
            to.as<int32_t>()[i] = static_cast<int32_t>(i / tokens % kept * tokens + i % tokens);
          }
        });
    buffers_.rows = builder_.tensor(Dtype::kI32, {tokens_});
    buffers_.dense = of_tokens(ranking_.dense);
    buffers_.categories = builder_.tensor(Dtype::kI32, {tokens_, ranking_.categories});
    buffers_.target = wide(1);
    buffers_.weight = wide(1);
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
  int64_t kept_;
  RankingBuffers buffers_;
};

}  // namespace

RankingBuffers make_ranking_buffers(WorkloadBuilder& builder, const ShardedConfig& config,
                                    const std::vector<SelfAttention>& attentions) {
  return RankingBufferMaker(builder, config).make(attentions);
}

}  // namespace aaco
