// SPDX-License-Identifier: MIT
#include <cmath>
#include <fmt/format.h>

#include "workload/layers/closeness.h"
#include "workload/layers/gradient_reduction.h"
#include "workload/layers/linear.h"
#include "workload/layers/stream_roles.h"
#include "workload/workload_list.h"

namespace aaco::workloads {

namespace {

constexpr Parameter kParameters[]{{"micro_batches", "4", "passes whose gradients are added up"},
                                  {"batch", "32", "samples of each"},
                                  {"input", "1024", "features of a sample"},
                                  {"hidden", "2048", "columns of the two hidden layers"},
                                  {"classes", "1000", "columns of the last layer"},
                                  {"overlap", "1",
                                   "1: a layer's gradients are reduced once they are complete, while "
                                   "the backward pass goes on; 0: all at the end"},
                                  kDtypeParameter};
constexpr Parameter kTestParameters[]{
    {"batch", "8", ""}, {"input", "24", ""}, {"hidden", "40", ""}, {"classes", "20", ""}};
constexpr Parameter kCpuParameters[]{
    {"batch", "16", ""}, {"input", "256", ""}, {"hidden", "512", ""}, {"classes", "200", ""}};

constexpr size_t kLayers = 3;
enum Role : size_t { kLane, kWeights, kReduce };

struct Sizes {
  int64_t micro_batches = 0;
  int64_t batch = 0;
  int64_t width[kLayers + 1]{};  // of the input, then of every layer's output
  bool overlap = true;
  Precision precision;
};

// One way through the layers, of a micro-batch or of all of them at once.
struct Pass {
  Tensor in;
  Tensor targets;
  Tensor outs[kLayers];   // behind the relu; the last one's become their gradients in place
  Tensor grads[kLayers];  // of what is before the relu
  Tensor loss;

  const Tensor& input_of(size_t layer) const { return layer == 0 ? in : outs[layer - 1]; }
};

struct Rank {
  std::vector<WeightBucket> buckets;  // one a layer
  std::vector<Linear> layers;
  std::vector<Pass> passes;
};

Result<Sizes> sizes_of(const WorkloadBuilder& builder) {
  const Parameters& given = builder.parameters();
  Sizes sizes;
  AACO_ASSIGN(sizes.micro_batches, given.integer("micro_batches", 1, 1024));
  AACO_ASSIGN(sizes.batch, given.integer("batch", 1, 1 << 20));
  AACO_ASSIGN(sizes.width[0], given.integer("input", 1, 1 << 20));
  AACO_ASSIGN(sizes.width[1], given.integer("hidden", 1, 1 << 20));
  sizes.width[2] = sizes.width[1];
  AACO_ASSIGN(sizes.width[3], given.integer("classes", 2, 1 << 20));
  AACO_ASSIGN(const int64_t overlap, given.integer("overlap", 0, 1));
  sizes.overlap = overlap == 1;
  AACO_ASSIGN(sizes.precision, given.precision());
  return sizes;
}

Pass make_pass(WorkloadBuilder& builder, const Sizes& sizes, const Tensor& in, const Tensor& targets, int32_t rank) {
  Pass pass;
  pass.in = in;
  pass.targets = targets;
  for (size_t layer = 0; layer < kLayers; ++layer) {
    pass.outs[layer] = builder.tensor(sizes.precision.dtype, {in.rows(), sizes.width[layer + 1]}, rank);
    pass.grads[layer] = layer + 1 == kLayers
                            ? pass.outs[layer]
                            : builder.tensor(sizes.precision.dtype, {in.rows(), sizes.width[layer + 1]}, rank);
  }
  pass.loss = builder.tensor(Dtype::kF32, {in.rows()}, rank);
  return pass;
}

void forward(Program& program, int32_t stream, const Sizes& sizes, const std::vector<Linear>& layers,
             const Pass& pass) {
  for (size_t layer = 0; layer < kLayers; ++layer) {
    linear_forward(program, stream, layers[layer], pass.input_of(layer), pass.outs[layer], sizes.precision,
                   layer + 1 == kLayers ? Epilogue::kBias : Epilogue::kBiasRelu);
  }
  // Of the sum of all losses, so that no gradient is too small for fp16.
  CrossEntropyArgs loss;
  loss.logits = pass.outs[kLayers - 1].data;
  loss.targets = pass.targets.as<int32_t>();
  loss.loss = pass.loss.as<float>();
  loss.grad = pass.outs[kLayers - 1].data;
  loss.rows = pass.in.rows();
  loss.cols = pass.outs[kLayers - 1].cols();
  loss.dtype = sizes.precision.dtype;
  program.op(stream, loss);
}

// The gradient of what is before `layer`.
void backward(Program& program, int32_t stream, const Sizes& sizes, const std::vector<Linear>& layers, const Pass& pass,
              size_t layer) {
  if (layer == 0) {
    return;
  }
  const Tensor& grad = pass.grads[layer - 1];
  linear_input_grad(program, stream, layers[layer], pass.grads[layer], grad, sizes.precision);
  program.op(stream, UnaryGradArgs{pass.outs[layer - 1].data, grad.data, grad.data, grad.elements(), UnaryOp::kRelu,
                                   grad.dtype});
}

void weight_grads(Program& program, int32_t stream, const Sizes& sizes, const Linear& linear, const Pass& pass,
                  size_t layer, bool accumulate) {
  linear_weight_grads(program, stream, linear, pass.input_of(layer), pass.grads[layer], sizes.precision, accumulate);
}

// Setup computes the gradients of all micro-batches in one pass.
void add_reference(WorkloadBuilder& builder, const Sizes& sizes, const Rank& rank, const Pass& whole, int32_t number) {
  Program& program = builder.setup();
  const int32_t stream = builder.stream(number, 0);
  forward(program, stream, sizes, rank.layers, whole);
  for (size_t layer = kLayers; layer-- > 0;) {
    backward(program, stream, sizes, rank.layers, whole, layer);
    weight_grads(program, stream, sizes, rank.layers[layer], whole, layer, false);
  }
}

Rank make_rank(WorkloadBuilder& builder, const Sizes& sizes, int32_t number) {
  Rank rank;
  for (size_t layer = 0; layer < kLayers; ++layer) {
    Linear linear;
    const double range = 1 / std::sqrt(static_cast<double>(sizes.width[layer]));
    rank.buckets.push_back(WeightBucket::make(builder, sizes.precision, range, number, [&](WeightBucket& bucket) {
      linear = take_linear(bucket, sizes.width[layer], sizes.width[layer + 1]);
    }));
    rank.layers.push_back(linear);
  }
  return rank;
}

void add_iteration(WorkloadBuilder& builder, const Sizes& sizes, const std::vector<Rank>& ranks,
                   const StreamRoles& roles, const std::vector<GradientReduction>& reductions) {
  Program& program = builder.iteration();
  const auto on = [&](int32_t rank, int32_t index) { return builder.stream(rank, index); };
  const auto reduce = [&](size_t layer) {
    if (builder.world() == 1) {
      return;
    }
    const int32_t index = roles.at(kReduce, static_cast<int64_t>(layer));
    for (int32_t r = 0; r < builder.ranks(); ++r) {
      program.after(on(r, index), on(r, roles.at(kWeights, static_cast<int64_t>(layer))));
    }
    reductions[layer].enqueue(builder, program, index);
  };
  for (int32_t r = 0; r < builder.ranks(); ++r) {
    fork(program, on(r, 0), roles.used());
    const Rank& rank = ranks[static_cast<size_t>(r)];
    for (size_t m = 0; m < rank.passes.size(); ++m) {
      forward(program, on(r, roles.at(kLane, static_cast<int64_t>(m))), sizes, rank.layers, rank.passes[m]);
    }
  }
  for (size_t layer = kLayers; layer-- > 0;) {
    for (int32_t r = 0; r < builder.ranks(); ++r) {
      const Rank& rank = ranks[static_cast<size_t>(r)];
      const int32_t weights = on(r, roles.at(kWeights, static_cast<int64_t>(layer)));
      for (size_t m = 0; m < rank.passes.size(); ++m) {
        const int32_t lane = on(r, roles.at(kLane, static_cast<int64_t>(m)));
        program.after(weights, lane);  // what comes before this layer's backward is all that its weights need
        backward(program, lane, sizes, rank.layers, rank.passes[m], layer);
        weight_grads(program, weights, sizes, rank.layers[layer], rank.passes[m], layer, m > 0);
      }
    }
    if (sizes.overlap) {
      reduce(layer);
    }
  }
  if (!sizes.overlap) {
    for (int32_t r = 0; r < builder.ranks(); ++r) {
      join(program, on(r, 0), roles.used());
      fork(program, on(r, 0), roles.used());
    }
    for (size_t layer = kLayers; layer-- > 0;) {
      reduce(layer);
    }
  }
  for (int32_t r = 0; r < builder.ranks(); ++r) {
    join(program, on(r, 0), roles.used());
  }
}

void add_passes(WorkloadBuilder& builder, const Sizes& sizes, Rank& rank, int32_t number) {
  const int64_t samples = sizes.micro_batches * sizes.batch;
  const int64_t features = sizes.width[0];
  const Tensor in = builder.random(sizes.precision.dtype, {samples, features}, -1, 1, number);
  const Tensor targets = builder.random(Dtype::kI32, {samples}, 0, static_cast<double>(sizes.width[kLayers]), number);
  add_reference(builder, sizes, rank, make_pass(builder, sizes, in, targets, number), number);
  for (int64_t m = 0; m < sizes.micro_batches; ++m) {
    rank.passes.push_back(make_pass(builder, sizes, in.view(m * sizes.batch * features, {sizes.batch, features}),
                                    targets.view(m * sizes.batch, {sizes.batch}), number));
  }
}

Result<void> build(WorkloadBuilder& builder) {
  AACO_ASSIGN(const Sizes sizes, sizes_of(builder));
  std::vector<int32_t> wants{static_cast<int32_t>(sizes.micro_batches), kLayers};
  if (builder.world() > 1) {
    wants.push_back(kLayers);
  }
  const StreamRoles roles(builder.streams(), wants);
  std::vector<Rank> ranks;
  for (int32_t r = 0; r < builder.ranks(); ++r) {
    ranks.push_back(make_rank(builder, sizes, r));
  }
  std::vector<GradientReduction> reductions(kLayers);
  for (size_t layer = 0; layer < kLayers; ++layer) {
    std::vector<const WeightBucket*> by_rank;
    for (const Rank& rank : ranks) {
      by_rank.push_back(&rank.buckets[layer]);
      reductions[layer].add(rank.buckets[layer]);
    }
    share_weights(builder, by_rank);
  }
  for (int32_t r = 0; r < builder.ranks(); ++r) {
    add_passes(builder, sizes, ranks[static_cast<size_t>(r)], r);
    for (GradientReduction& reduction : reductions) {
      reduction.keep_reference(builder, r);
    }
  }
  add_iteration(builder, sizes, ranks, roles, reductions);
  for (size_t layer = 0; layer < kLayers; ++layer) {
    reductions[layer].finish(builder, fmt::format("gradients of layer {}", layer), order_tolerance(sizes.precision));
  }
  builder.units(static_cast<double>(sizes.micro_batches * sizes.batch * builder.ranks()));
  return {};
}

}  // namespace

const WorkloadInfo grad_accum{
    .id = "grad_accum",
    .alias = "",
    .priority = "P2",
    .category = "distributed",
    .unit = "samples",
    .summary = "Gradients of several micro-batches, added up and reduced over ranks layer by layer",
    .about =
        "A classifier of three layers. Each micro-batch runs forward and backward on a stream of its own; a layer's "
        "weight gradients are added up on that layer's stream, and reduced on another as soon as the last micro-batch "
        "has added its part, while the layers before it still go backward. It tells whether early reduction hides "
        "behind compute (overlap=0 is the comparison). At most micro_batches + 3 "
        "streams have something to do, 3 more with several ranks: more micro-batches use more. A rank has one "
        "communicator: NCCL and RCCL do its reductions one after the other, though each layer's is on a stream of its "
        "own. The sum is checked against one pass over all samples.",
    .recommended_streams = 6,
    .switch_sensitivity = "medium",
    .parameters = kParameters,
    .test_parameters = kTestParameters,
    .cpu_parameters = kCpuParameters,
    .build = build};

}  // namespace aaco::workloads
