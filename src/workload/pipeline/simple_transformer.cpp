// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

#include "workload/layers/gradient_reduction.h"
#include "workload/layers/models/transformer_block.h"
#include "workload/layers/stream_roles.h"
#include "workload/workload_list.h"

namespace aaco::workloads {

namespace {

constexpr Parameter kParameters[]{{"hidden", "512", "columns of a token; inside a block it has four times as many"},
                                  {"layers", "6", "blocks"},
                                  {"heads", "8", "attention heads"},
                                  {"batch", "8", "sequences of a step"},
                                  {"seq", "128", "tokens of a sequence"},
                                  {"vocabulary", "32000", "tokens there are"},
                                  {"micro_batches", "4", "parts of the batch, each on a lane of its own"},
                                  {"rate", "0.1", "of gradient descent, on the mean loss"},
                                  kDtypeParameter};
constexpr Parameter kTestParameters[]{{"hidden", "16", ""}, {"layers", "2", ""}, {"heads", "2", ""},
                                      {"batch", "4", ""},   {"seq", "6", ""},    {"vocabulary", "30", ""}};
constexpr Parameter kCpuParameters[]{
    {"hidden", "128", ""}, {"layers", "3", ""}, {"batch", "4", ""}, {"seq", "16", ""}, {"vocabulary", "500", ""}};

enum Role : size_t { kLane, kWeights };

struct Sizes {
  int64_t hidden = 0;
  int64_t layers = 0;
  int32_t heads = 0;
  int32_t batch = 0;
  int32_t seq = 0;
  int64_t vocabulary = 0;
  int32_t micro_batches = 0;
  double rate = 0;
  Precision precision;

  int32_t micro_batch() const { return batch / micro_batches; }
  int64_t micro_rows() const { return int64_t{micro_batch()} * seq; }
  // Weights come in parts: the embedding, every block, the head.
  size_t parts() const { return static_cast<size_t>(layers) + 2; }
};

struct MicroBatch {
  Tensor tokens;
  Tensor targets;
  Tensor loss;
  Tensor embedded;
  std::vector<TransformerBlockState> states;
  std::vector<TransformerBlockGrads> grads;
  NormState last_norm;
  Tensor logits;  // their gradient in place
  Tensor normed_grad;
  Tensor last_grad;  // of what the last block leaves
};

struct Rank {
  std::vector<WeightBucket> buckets;  // one a part
  Weight embedding;
  std::vector<TransformerBlock> blocks;
  Norm norm;
  Linear head;
  Tensor losses;  // of all tokens
  Tensor first_losses;
  std::vector<MicroBatch> micro_batches;
};

Result<Sizes> sizes_of(const WorkloadBuilder& builder) {
  const Parameters& given = builder.parameters();
  Sizes sizes;
  AACO_ASSIGN(sizes.hidden, given.integer("hidden", 1, 1 << 16));
  AACO_ASSIGN(sizes.layers, given.integer("layers", 1, 1024));
  AACO_ASSIGN(const int64_t heads, given.integer("heads", 1, 1024));
  AACO_ASSIGN(const int64_t batch, given.integer("batch", 1, 1 << 16));
  AACO_ASSIGN(const int64_t seq, given.integer("seq", 1, 1 << 16));
  AACO_ASSIGN(sizes.vocabulary, given.integer("vocabulary", 2, 1 << 20));
  AACO_ASSIGN(const int64_t micro_batches, given.integer("micro_batches", 1, 1 << 16));
  AACO_ASSIGN(sizes.rate, given.real("rate", 1e-9, 1e3));
  AACO_ASSIGN(sizes.precision, given.precision());
  sizes.heads = static_cast<int32_t>(heads);
  sizes.batch = static_cast<int32_t>(batch);
  sizes.seq = static_cast<int32_t>(seq);
  sizes.micro_batches = static_cast<int32_t>(micro_batches);
  if (sizes.hidden % heads != 0 || batch % micro_batches != 0) {
    return Error{ErrorKind::kUsage,
                 fmt::format("heads={} must divide hidden={}, and micro_batches={} batch={}", heads, sizes.hidden,
                             micro_batches, batch),
                 "choose others with --param"};
  }
  return sizes;
}

Rank make_rank(WorkloadBuilder& builder, const Sizes& sizes, int32_t number) {
  Rank rank;
  const double range = 1 / std::sqrt(static_cast<double>(sizes.hidden));
  const auto add = [&](auto&& layout) {
    rank.buckets.push_back(WeightBucket::make(builder, sizes.precision, range, number, layout));
  };
  add([&](WeightBucket& bucket) { rank.embedding = bucket.take({sizes.vocabulary, sizes.hidden}); });
  for (int64_t layer = 0; layer < sizes.layers; ++layer) {
    TransformerBlock block;
    add([&](WeightBucket& bucket) {
      block = take_transformer_block(bucket, sizes.hidden, sizes.heads, 4 * sizes.hidden, true);
    });
    rank.blocks.push_back(block);
  }
  add([&](WeightBucket& bucket) {
    rank.norm = take_norm(bucket, sizes.hidden);
    rank.head = take_linear(bucket, sizes.hidden, sizes.vocabulary);
  });
  return rank;
}

MicroBatch make_micro_batch(WorkloadBuilder& builder, const Sizes& sizes, const Rank& rank, int32_t number) {
  const int64_t rows = sizes.micro_rows();
  const Dtype dtype = sizes.precision.dtype;
  MicroBatch micro;
  micro.embedded = builder.tensor(dtype, {rows, sizes.hidden}, number);
  for (const TransformerBlock& block : rank.blocks) {
    const int32_t batch = sizes.micro_batch();
    micro.states.push_back(make_block_state(builder, sizes.precision, block, batch, sizes.seq, number));
    micro.grads.push_back(make_block_grads(builder, sizes.precision, block, batch, sizes.seq, number));
  }
  micro.last_norm = make_norm_state(builder, sizes.precision, rows, sizes.hidden, number);
  micro.logits = builder.tensor(dtype, {rows, sizes.vocabulary}, number);
  micro.normed_grad = builder.tensor(dtype, {rows, sizes.hidden}, number);
  micro.last_grad = builder.tensor(dtype, {rows, sizes.hidden}, number);
  return micro;
}

void add_micro_batches(WorkloadBuilder& builder, const Sizes& sizes, Rank& rank, int32_t number) {
  const int64_t rows = int64_t{sizes.batch} * sizes.seq;
  const auto vocabulary = static_cast<double>(sizes.vocabulary);
  const Tensor tokens = builder.random(Dtype::kI32, {rows}, 0, vocabulary, number);
  const Tensor targets = builder.random(Dtype::kI32, {rows}, 0, vocabulary, number);
  rank.losses = builder.tensor(Dtype::kF32, {rows}, number);
  rank.first_losses = builder.tensor(Dtype::kF32, {rows}, number);
  for (int32_t m = 0; m < sizes.micro_batches; ++m) {
    MicroBatch& micro = rank.micro_batches.emplace_back(make_micro_batch(builder, sizes, rank, number));
    const int64_t first = m * sizes.micro_rows();
    micro.tokens = tokens.view(first, {sizes.micro_rows()});
    micro.targets = targets.view(first, {sizes.micro_rows()});
    micro.loss = rank.losses.view(first, {sizes.micro_rows()});
  }
}

const Tensor& block_input(const MicroBatch& micro, size_t layer) {
  return layer == 0 ? micro.embedded : micro.states[layer - 1].out();
}

const Tensor& block_out_grad(const MicroBatch& micro, size_t layer) {
  return layer + 1 == micro.grads.size() ? micro.last_grad : micro.grads[layer + 1].in;
}

// One part of the forward pass; the last one ends with the loss and the gradient of its sum (which no type is too
// narrow for, as it might be for the mean's).
void forward(Program& program, int32_t stream, const Sizes& sizes, const Rank& rank, const MicroBatch& micro,
             size_t part) {
  if (part == 0) {
    program.op(stream, GatherArgs{rank.embedding.value.data, micro.tokens.as<int32_t>(), micro.embedded.data,
                                  sizes.micro_rows(), sizes.hidden, sizes.vocabulary, sizes.precision.dtype});
    return;
  }
  const size_t layer = part - 1;
  if (layer < rank.blocks.size()) {
    block_forward(program, stream, rank.blocks[layer], block_input(micro, layer), micro.states[layer], sizes.precision);
    return;
  }
  norm_forward(program, stream, rank.norm, micro.states.back().out(), micro.last_norm);
  linear_forward(program, stream, rank.head, micro.last_norm.out, micro.logits, sizes.precision);
  program.op(stream,
             CrossEntropyArgs{micro.logits.data, micro.targets.as<int32_t>(), micro.loss.as<float>(), micro.logits.data,
                              sizes.micro_rows(), sizes.vocabulary, 1, sizes.precision.dtype});
}

void backward(Program& program, int32_t stream, const Sizes& sizes, const Rank& rank, const MicroBatch& micro,
              size_t part) {
  if (part == 0) {
    return;
  }
  const size_t layer = part - 1;
  if (layer < rank.blocks.size()) {
    block_backward(program, stream, rank.blocks[layer], block_input(micro, layer), micro.states[layer],
                   block_out_grad(micro, layer), micro.grads[layer], sizes.precision);
    return;
  }
  linear_input_grad(program, stream, rank.head, micro.logits, micro.normed_grad, sizes.precision);
  norm_backward(program, stream, rank.norm, micro.states.back().out(), micro.last_norm, micro.normed_grad,
                micro.last_grad);
}

void weight_grads(Program& program, int32_t stream, const Sizes& sizes, const Rank& rank, const MicroBatch& micro,
                  size_t part, bool accumulate) {
  if (part == 0) {
    const Tensor& grad = rank.embedding.grad;
    if (!accumulate) {
      program.set(stream, grad.data, 0, static_cast<size_t>(grad.bytes()));
    }
    program.op(stream, ScatterAddArgs{micro.grads.front().in.data, micro.tokens.as<int32_t>(), grad.as<float>(),
                                      sizes.micro_rows(), sizes.hidden, sizes.vocabulary, sizes.precision.dtype});
    return;
  }
  const size_t layer = part - 1;
  if (layer < rank.blocks.size()) {
    block_weight_grads(program, stream, rank.blocks[layer], micro.states[layer], block_out_grad(micro, layer),
                       micro.grads[layer], sizes.precision, accumulate);
    return;
  }
  linear_weight_grads(program, stream, rank.head, micro.last_norm.out, micro.logits, sizes.precision, accumulate);
  norm_weight_grads(program, stream, rank.norm, micro.last_norm, accumulate);
}

void add_iteration(WorkloadBuilder& builder, const Sizes& sizes, const std::vector<Rank>& ranks,
                   const StreamRoles& roles, const std::vector<GradientReduction>& reductions) {
  Program& program = builder.iteration();
  const auto each = [&](auto&& act) {  // act(rank, its number, micro-batch, its number, lane)
    for (int32_t r = 0; r < builder.ranks(); ++r) {
      const Rank& rank = ranks[static_cast<size_t>(r)];
      for (int32_t m = 0; m < sizes.micro_batches; ++m) {
        act(rank, r, rank.micro_batches[static_cast<size_t>(m)], m, builder.stream(r, roles.at(kLane, m)));
      }
    }
  };
  for (int32_t r = 0; r < builder.ranks(); ++r) {
    fork(program, builder.stream(r, 0), roles.used());
  }
  for (size_t part = 0; part < sizes.parts(); ++part) {
    each([&](const Rank& rank, int32_t, const MicroBatch& micro, int32_t, int32_t lane) {
      forward(program, lane, sizes, rank, micro, part);
    });
  }
  const double tokens = static_cast<double>(sizes.batch) * sizes.seq * builder.world();
  for (size_t part = sizes.parts(); part-- > 0;) {
    const int32_t index = roles.at(kWeights, static_cast<int64_t>(part));
    each([&](const Rank& rank, int32_t r, const MicroBatch& micro, int32_t m, int32_t lane) {
      backward(program, lane, sizes, rank, micro, part);
      program.after(builder.stream(r, index), lane);
      weight_grads(program, builder.stream(r, index), sizes, rank, micro, part, m > 0);
    });
    reductions[part].enqueue(builder, program, index);
    for (int32_t r = 0; r < builder.ranks(); ++r) {  // every lane has gone back through this part
      ranks[static_cast<size_t>(r)].buckets[part].descend(program, builder.stream(r, index),
                                                          static_cast<float>(sizes.rate / tokens));
    }
  }
  for (int32_t r = 0; r < builder.ranks(); ++r) {
    join(program, builder.stream(r, 0), roles.used());
  }
}

// NaN, in every floating type: what an iteration does not compute anew is seen.
void poison(Program& program, int32_t stream, const Tensor& tensor) {
  program.set(stream, tensor.data, 0xff, static_cast<size_t>(tensor.bytes()));
}

// The loss with the weights that training begins with. Nothing of how it was computed is left.
void add_first_losses(WorkloadBuilder& builder, const Sizes& sizes, const Rank& rank, int32_t number) {
  const int32_t stream = builder.stream(number, 0);
  for (const MicroBatch& micro : rank.micro_batches) {
    for (size_t part = 0; part < sizes.parts(); ++part) {
      forward(builder.setup(), stream, sizes, rank, micro, part);
    }
  }
  builder.setup().copy(stream, rank.first_losses.data, rank.losses.data, static_cast<size_t>(rank.losses.bytes()));
  for (const MicroBatch& micro : rank.micro_batches) {
    poison(builder.setup(), stream, micro.embedded);
    for (const TransformerBlockState& state : micro.states) {
      poison(builder.setup(), stream, state.middle);
      poison(builder.setup(), stream, state.out());
    }
    poison(builder.setup(), stream, micro.last_norm.out);
    poison(builder.setup(), stream, micro.logits);
  }
  poison(builder.setup(), stream, rank.losses);
}

double mean(const std::vector<float>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

void add_check(WorkloadBuilder& builder, const Tensor& first_losses, const Tensor& losses) {
  builder.check([=](DeviceReader& reader, int64_t iterations) -> Result<void> {
    AACO_ASSIGN(const std::vector<float> first_values, reader.floats(first_losses));
    AACO_ASSIGN(const std::vector<float> values, reader.floats(losses));
    const double before = mean(first_values);
    const double now = mean(values);
    // The first step's loss is that of the first weights; each later one is that after another step.
    const bool right = iterations == 1 ? std::abs(now - before) <= 1e-3 * before : now < before;
    if (!right) {
      return Error{ErrorKind::kInvalid,
                   fmt::format("simple_transformer: the mean loss is {:.6g} in step {}, it was {:.6g} before the first",
                               now, iterations, before),
                   "the same tokens are learnt in every step, so it must fall: a smaller --param rate may be needed"};
    }
    return {};
  });
}

Result<void> build(WorkloadBuilder& builder) {
  AACO_ASSIGN(const Sizes sizes, sizes_of(builder));
  const StreamRoles roles(builder.streams(), {sizes.micro_batches, static_cast<int32_t>(sizes.parts())});
  std::vector<Rank> ranks;
  for (int32_t r = 0; r < builder.ranks(); ++r) {
    ranks.push_back(make_rank(builder, sizes, r));
  }
  std::vector<GradientReduction> reductions(sizes.parts());
  for (size_t part = 0; part < sizes.parts(); ++part) {
    std::vector<const WeightBucket*> by_rank;
    for (const Rank& rank : ranks) {
      by_rank.push_back(&rank.buckets[part]);
      reductions[part].add(rank.buckets[part]);
    }
    share_weights(builder, by_rank);
  }
  for (int32_t r = 0; r < builder.ranks(); ++r) {
    add_micro_batches(builder, sizes, ranks[static_cast<size_t>(r)], r);
    add_first_losses(builder, sizes, ranks[static_cast<size_t>(r)], r);
  }
  add_iteration(builder, sizes, ranks, roles, reductions);
  for (size_t part = 0; part < sizes.parts(); ++part) {
    reductions[part].finish(builder, fmt::format("gradients of part {}", part), 0);
    builder.output(fmt::format("weights of part {}", part), ranks.front().buckets[part].masters());
  }
  builder.output("losses", ranks.front().losses);
  add_check(builder, ranks.front().first_losses, ranks.front().losses);
  builder.units(static_cast<double>(sizes.batch) * builder.ranks());
  return {};
}

}  // namespace

const WorkloadInfo simple_transformer{
    .id = "simple_transformer",
    .alias = "",
    .priority = "P3",
    .category = "pipeline",
    .unit = "samples",
    .summary = "A training step of a small language model",
    .about =
        "Embedding, six blocks, cross entropy, backward, gradient descent, on the same tokens in every step, so that "
        "the loss must fall. Each micro-batch is a lane of its own; the weights' gradients of a part of the model are "
        "added up on that part's stream, reduced over ranks there, and the part's weights are updated as soon as every "
        "lane has gone back through it. micro_batches + layers + 2 streams have something to do.",
    .recommended_streams = 4,
    .switch_sensitivity = "medium",
    .parameters = kParameters,
    .test_parameters = kTestParameters,
    .cpu_parameters = kCpuParameters,
    .build = build};

}  // namespace aaco::workloads
