// SPDX-License-Identifier: MIT
#include "workload/distributed/fsdp_tp_model.h"

#include <cmath>

#include "workload/layers/closeness.h"

namespace aaco::workloads {

namespace {

std::vector<float> sums_along_rows(const std::vector<float>& values, int64_t cols) {
  std::vector<double> sums(values.size() / static_cast<size_t>(cols));
  for (size_t i = 0; i < values.size(); ++i) {
    sums[i / static_cast<size_t>(cols)] += static_cast<double>(values[i]);
  }
  return {sums.begin(), sums.end()};
}

std::vector<float> sums_along_columns(const std::vector<float>& values, int64_t cols) {
  std::vector<double> sums(static_cast<size_t>(cols));
  for (size_t i = 0; i < values.size(); ++i) {
    sums[i % static_cast<size_t>(cols)] += static_cast<double>(values[i]);
  }
  return {sums.begin(), sums.end()};
}

}  // namespace

FsdpLayer FsdpModel::make_layer(WorkloadBuilder& builder, int32_t rank) const {
  const double range = 1 / std::sqrt(static_cast<double>(sizes_.hidden));
  const auto heads = static_cast<int32_t>(sizes_.heads / builder.world());
  const auto head_dim = static_cast<int32_t>(sizes_.hidden / sizes_.heads);
  const bool alone = builder.world() == 1;
  SelfAttention attention;
  Mlp mlp;
  WeightBucket attention_bucket = WeightBucket::make(builder, sizes_.precision, range, rank, [&](WeightBucket& bucket) {
    attention = take_attention(bucket, sizes_.hidden, heads, head_dim, false);
  });
  WeightBucket mlp_bucket = WeightBucket::make(
      builder, sizes_.precision, alone ? range : 0, rank,
      [&](WeightBucket& bucket) { mlp = take_mlp(bucket, sizes_.hidden, 4 * sizes_.hidden, UnaryOp::kGelu, false); },
      builder.world());
  const int64_t part = mlp_bucket.elements() / builder.world();
  const Tensor shard =
      alone ? mlp_bucket.values() : builder.random(sizes_.precision.dtype, {part}, -range, range, rank);
  const Tensor shard_grad = alone ? mlp_bucket.grads() : builder.tensor(Dtype::kF32, {part}, rank);
  return {attention, mlp, attention_bucket, mlp_bucket, shard, shard_grad};
}

LayerPass FsdpModel::make_pass(WorkloadBuilder& builder, const FsdpLayer& layer, const Tensor& in, bool passes_on,
                               int32_t rank) const {
  const int32_t world = builder.world();
  const auto batch = static_cast<int32_t>(sizes_.micro_batch() * world);
  const auto seq = static_cast<int32_t>(sizes_.seq);
  const auto rows_of_all = [&](const Tensor& alone) {
    return world == 1 ? alone : builder.tensor(sizes_.precision.dtype, {world * sizes_.rows(), sizes_.hidden}, rank);
  };
  const auto rows_of_one = [&](const Tensor& alone) {
    return world == 1 ? alone : builder.tensor(sizes_.precision.dtype, {sizes_.rows(), sizes_.hidden}, rank);
  };
  LayerPass pass;
  pass.in = in;
  pass.norm = make_norm_state(builder, sizes_.precision, sizes_.rows(), sizes_.hidden, rank);
  pass.normed = pass.norm.out;
  pass.tokens = rows_of_all(pass.normed);
  pass.attention = make_attention_state(builder, sizes_.precision, layer.attention, batch, seq, rank);
  pass.middle = builder.tensor(sizes_.precision.dtype, {sizes_.rows(), sizes_.hidden}, rank);
  pass.partial = rows_of_all(pass.middle);
  pass.mlp = make_mlp_state(builder, sizes_.precision, layer.mlp, sizes_.rows(), rank);
  pass.out = pass.mlp.out;
  pass.passed_on = passes_on ? rows_of_one(pass.out) : pass.out;
  pass.mlp_grads = make_mlp_grads(builder, sizes_.precision, layer.mlp, sizes_.rows(), rank);
  pass.middle_grad = pass.mlp_grads.in;
  pass.partial_grad = rows_of_all(pass.middle_grad);
  pass.attention_grads = make_attention_grads(builder, sizes_.precision, layer.attention, batch, seq, rank);
  pass.tokens_grad = pass.attention_grads.in;
  pass.normed_grad = rows_of_one(pass.tokens_grad);
  pass.in_grad = builder.tensor(sizes_.precision.dtype, {sizes_.rows(), sizes_.hidden}, rank);
  return pass;
}

// Every layer's out_grad is the next one's in_grad, or what has come back of it.
void FsdpModel::link_gradients(WorkloadBuilder& builder, int32_t rank, int64_t micro) {
  for (int64_t layer = 0; layer < sizes_.layers; ++layer) {
    LayerPass& pass = passes_[static_cast<size_t>(rank)][static_cast<size_t>(micro * sizes_.layers + layer)];
    if (layer + 1 == sizes_.layers) {
      pass.out_grad = out_grads_[static_cast<size_t>(rank)].view(micro * sizes_.rows() * sizes_.hidden,
                                                                 {sizes_.rows(), sizes_.hidden});
      continue;
    }
    const Tensor& next = this->pass(rank, layer + 1, micro).in_grad;
    pass.out_grad = next;
    if (sizes_.ends_stage(layer) && builder.world() > 1) {
      pass.passed_on_grad = next;
      pass.returned = builder.tensor(next.dtype, {next.rows(), next.cols()}, rank);
      pass.returned_spare = builder.tensor(next.dtype, {next.rows(), next.cols()}, rank);
      pass.out_grad = builder.world() % 2 == 0 ? pass.returned : pass.returned_spare;  // after world - 1 steps
    }
  }
}

FsdpModel::FsdpModel(WorkloadBuilder& builder, const FsdpSizes& sizes) : sizes_(sizes) {
  for (int32_t rank = 0; rank < builder.ranks(); ++rank) {
    std::vector<FsdpLayer>& layers = layers_.emplace_back();
    for (int64_t layer = 0; layer < sizes_.layers; ++layer) {
      layers.push_back(make_layer(builder, rank));
    }
    const int64_t rows = sizes_.rows() * sizes_.micro_batches;
    ins_.push_back(builder.random(sizes_.precision.dtype, {rows, sizes_.hidden}, -1, 1, rank));
    out_grads_.push_back(builder.random(sizes_.precision.dtype, {rows, sizes_.hidden}, -1, 1, rank));
    std::vector<LayerPass>& passes = passes_.emplace_back();
    for (int64_t micro = 0; micro < sizes_.micro_batches; ++micro) {
      for (int64_t layer = 0; layer < sizes_.layers; ++layer) {
        const Tensor in = layer == 0
                              ? ins_.back().view(micro * sizes_.rows() * sizes_.hidden, {sizes_.rows(), sizes_.hidden})
                              : passes.back().passed_on;
        LayerPass pass = make_pass(builder, layers[static_cast<size_t>(layer)], in, sizes_.ends_stage(layer), rank);
        pass.attention_grads.pairs =
            layer > 0 ? passes.back().attention_grads.pairs
                      : make_attention_pairs(builder, sizes_.precision, layers.front().attention,
                                             static_cast<int32_t>(sizes_.micro_batch() * builder.world()),
                                             static_cast<int32_t>(sizes_.seq), rank);
        passes.push_back(std::move(pass));
      }
      link_gradients(builder, rank, micro);
    }
  }
}

// A layer norm's gradient sums to zero along every token's row, so that only the residual path brings the sum of the
// output's gradient to the input, however the token went.
void FsdpModel::add_row_sum_check(WorkloadBuilder& builder) const {
  const bool emulated = builder.world() > builder.ranks();
  const int64_t from = emulated ? 0 : (sizes_.stages - 1) % builder.ranks();  // where its last layer was computed
  std::vector<Tensor> in_grads;
  for (int64_t micro = 0; micro < sizes_.micro_batches; ++micro) {
    in_grads.push_back(pass(0, 0, micro).in_grad);
  }
  const Tensor out_grad = out_grads_[static_cast<size_t>(from)];
  builder.check([sizes = sizes_, in_grads, out_grad](DeviceReader& reader, int64_t) -> Result<void> {
    std::vector<float> all;
    for (const Tensor& in_grad : in_grads) {
      AACO_ASSIGN(const std::vector<float> values, reader.floats(in_grad));
      all.insert(all.end(), values.begin(), values.end());
    }
    AACO_ASSIGN(const std::vector<float> should_be, reader.floats(out_grad));
    return expect_close("fsdp_tp: the sums of the input's gradients along each token's row",
                        sums_along_rows(all, sizes.hidden), sums_along_rows(should_be, sizes.hidden),
                        order_tolerance(sizes.precision));
  });
}

// The last bias's gradient is the sum of the output's gradients, over all micro-batches.
void FsdpModel::add_bias_check(WorkloadBuilder& builder) const {
  const Tensor bias_grad = layer(0, sizes_.layers - 1).mlp.down.bias.grad;
  const Tensor out_grad = out_grads_.front();
  builder.check([sizes = sizes_, bias_grad, out_grad](DeviceReader& reader, int64_t) -> Result<void> {
    AACO_ASSIGN(const std::vector<float> is, reader.floats(bias_grad));
    AACO_ASSIGN(const std::vector<float> grads, reader.floats(out_grad));
    return expect_close("fsdp_tp: the last bias's gradient", is, sums_along_columns(grads, sizes.hidden),
                        order_tolerance({Dtype::kF32, MathMode::kF32}));
  });
}

// The gathered weights are the shards, and the first shard of the gradients is the sum of all ranks'.
void FsdpModel::add_shard_checks(WorkloadBuilder& builder, int64_t number) const {
  std::vector<Tensor> shards;
  std::vector<Tensor> grads;
  const FsdpLayer& first = layer(0, number);
  const int64_t part = first.shard.elements();
  for (int32_t rank = 0; rank < builder.world(); ++rank) {
    const FsdpLayer& from = layer(rank < builder.ranks() ? rank : 0, number);
    shards.push_back(from.shard);
    grads.push_back(from.mlp_bucket.grads().view(0, {part}));
  }
  builder.check(
      [=, values = first.mlp_bucket.values(), sum = first.shard_grad](DeviceReader& reader, int64_t) -> Result<void> {
        std::vector<float> should_be;
        std::vector<float> sums(static_cast<size_t>(part));
        for (size_t rank = 0; rank < shards.size(); ++rank) {
          AACO_ASSIGN(const std::vector<float> shard, reader.floats(shards[rank]));
          should_be.insert(should_be.end(), shard.begin(), shard.end());
          AACO_ASSIGN(const std::vector<float> grad, reader.floats(grads[rank]));
          for (size_t i = 0; i < sums.size(); ++i) {
            sums[i] += grad[i];
          }
        }
        AACO_ASSIGN(const std::vector<float> gathered, reader.floats(values));
        AACO_TRY(expect_close(fmt::format("fsdp_tp: layer {}'s gathered weights", number), gathered, should_be, 0));
        AACO_ASSIGN(const std::vector<float> reduced, reader.floats(sum));
        return expect_close(fmt::format("fsdp_tp: layer {}'s reduced gradients", number), reduced, sums,
                            order_tolerance({Dtype::kF32, MathMode::kF32}));
      });
}

void FsdpModel::add_outputs_and_checks(WorkloadBuilder& builder) const {
  for (int32_t rank = 0; rank < builder.ranks(); ++rank) {
    for (int64_t micro = 0; micro < sizes_.micro_batches; ++micro) {
      builder.output(fmt::format("out of micro-batch {}", micro), pass(rank, sizes_.layers - 1, micro).out, rank);
      builder.output(fmt::format("input's gradient of micro-batch {}", micro), pass(rank, 0, micro).in_grad, rank);
    }
    for (int64_t number = 0; sizes_.weight_gradients && number < sizes_.layers; ++number) {
      builder.output(fmt::format("attention gradients of layer {}", number),
                     layer(rank, number).attention_bucket.grads(), rank);
      builder.output(fmt::format("sharded gradients of layer {}", number), layer(rank, number).shard_grad, rank);
    }
  }
  add_row_sum_check(builder);
  if (!sizes_.weight_gradients) {
    return;
  }
  add_bias_check(builder);
  for (int64_t number = 0; builder.world() > 1 && number < sizes_.layers; ++number) {
    add_shard_checks(builder, number);
  }
}

}  // namespace aaco::workloads
