// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "workload/layers/closeness.h"
#include "workload/layers/gradient_reduction.h"
#include "workload/layers/mlp.h"
#include "workload/layers/stream_roles.h"
#include "workload/workload_list.h"

namespace aaco::workloads {

namespace {

// Of a device whose library may sum the same product in another order the next time: a value of ReLU within the
// rounding of zero (some 1e-6 of all of them) may fall on either side of its bend, and takes its part of the gradient
// along: the root of that share, three times over. The CPU sums in one order, so that its gradients have the same bits.
constexpr double kBendTolerance = 3e-3;

double tolerance_of(const WorkloadBuilder& builder, Precision precision) {
  const bool in_one_order = builder.device(0).properties().id.starts_with("cpu:");
  return in_one_order ? 0 : std::max(order_tolerance(precision), kBendTolerance);
}

constexpr Parameter kParameters[]{
    {"blocks", "8", "blocks of the model: norm, two linear layers with relu between them, residual path"},
    {"hidden", "1024", "columns of a block; inside it has four times as many"},
    {"checkpoint_every", "2", "blocks from one kept activation to the next: what is between is computed again"},
    {"batch", "4", "samples, each on a lane of its own"},
    {"seq", "512", "rows of a sample"},
    {"reference", "1", "1: setup computes the gradients without checkpoints too, to hold them against; 0: it does not"},
    kDtypeParameter};
constexpr Parameter kTestParameters[]{{"blocks", "5", ""}, {"hidden", "16", ""}, {"batch", "2", ""}, {"seq", "6", ""}};
constexpr Parameter kCpuParameters[]{{"hidden", "96", ""}, {"seq", "16", ""}};

enum Role : size_t { kLane, kRecompute, kWeights, kReduce };

struct Sizes {
  int64_t blocks = 0;
  int64_t every = 0;
  int64_t hidden = 0;
  int64_t batch = 0;
  int64_t seq = 0;
  bool reference = true;
  Precision precision;

  int64_t segments() const { return (blocks + every - 1) / every; }
  int64_t first_of(int64_t segment) const { return segment * every; }
  int64_t last_of(int64_t segment) const { return std::min(blocks, (segment + 1) * every) - 1; }
};

// What a segment's backward pass works on. There are two, for segments in turn, so that the next segment is computed
// again while this one goes backward.
struct SegmentMemory {
  std::vector<MlpState> states;
  std::vector<MlpGrads> grads;
};

// One sample.
struct Lane {
  Tensor in;
  Tensor out;
  Tensor out_grad;                  // of a loss that stands above the last block
  std::vector<Tensor> checkpoints;  // before segment 1, 2, ...
  MlpState rolling;                 // of the first forward pass, which keeps nothing else
  Tensor between[2];
  SegmentMemory memory[2];
};

struct Rank {
  std::vector<WeightBucket> buckets;  // one a block
  std::vector<Mlp> blocks;
  std::vector<Lane> lanes;
};

Result<Sizes> sizes_of(const WorkloadBuilder& builder) {
  const Parameters& given = builder.parameters();
  Sizes sizes;
  AACO_ASSIGN(sizes.blocks, given.integer("blocks", 1, 1024));
  AACO_ASSIGN(sizes.every, given.integer("checkpoint_every", 1, 1024));
  AACO_ASSIGN(sizes.hidden, given.integer("hidden", 1, 1 << 20));
  AACO_ASSIGN(sizes.batch, given.integer("batch", 1, 1024));
  AACO_ASSIGN(sizes.seq, given.integer("seq", 1, 1 << 20));
  AACO_ASSIGN(const int64_t reference, given.integer("reference", 0, 1));
  sizes.reference = reference == 1;
  AACO_ASSIGN(sizes.precision, given.precision());
  return sizes;
}

// What block `block` reads in the first forward pass; with block == blocks, what the model leaves.
Tensor activation(const Sizes& sizes, const Lane& lane, int64_t block) {
  if (block == 0) {
    return lane.in;
  }
  if (block == sizes.blocks) {
    return lane.out;
  }
  return block % sizes.every == 0 ? lane.checkpoints[static_cast<size_t>(block / sizes.every - 1)]
                                  : lane.between[block % 2];
}

Lane make_lane(WorkloadBuilder& builder, const Sizes& sizes, const Rank& rank, const Tensor& in, const Tensor& out,
               const Tensor& out_grad, int32_t number) {
  const auto rows = [&] { return builder.tensor(sizes.precision.dtype, {sizes.seq, sizes.hidden}, number); };
  Lane lane;
  lane.in = in;
  lane.out = out;
  lane.out_grad = out_grad;
  for (int64_t segment = 1; segment < sizes.segments(); ++segment) {
    lane.checkpoints.push_back(rows());
  }
  lane.rolling = make_mlp_state(builder, sizes.precision, rank.blocks.front(), sizes.seq, number);
  for (int half = 0; half < 2; ++half) {
    lane.between[half] = rows();
    for (int64_t block = 0; block < sizes.every; ++block) {
      const Mlp& mlp = rank.blocks.front();  // all of one shape
      lane.memory[half].states.push_back(make_mlp_state(builder, sizes.precision, mlp, sizes.seq, number));
      lane.memory[half].grads.push_back(make_mlp_grads(builder, sizes.precision, mlp, sizes.seq, number));
    }
  }
  return lane;
}

// The part of one lane.
Tensor part_of(const Sizes& sizes, const Tensor& whole, int64_t lane) {
  return whole.view(lane * sizes.seq * sizes.hidden, {sizes.seq, sizes.hidden});
}

// Setup computes the gradients with every activation kept, sample after sample as the iteration does: a product of all
// samples at once could be summed in another order.
void add_reference(WorkloadBuilder& builder, const Sizes& sizes, const Rank& rank, const Tensor& in,
                   const Tensor& out_grad, int32_t number) {
  Program& program = builder.setup();
  const int32_t stream = builder.stream(number, 0);
  std::vector<MlpState> states;
  for (const Mlp& block : rank.blocks) {
    states.push_back(make_mlp_state(builder, sizes.precision, block, sizes.seq, number));
  }
  const MlpGrads grads[2]{make_mlp_grads(builder, sizes.precision, rank.blocks.front(), sizes.seq, number),
                          make_mlp_grads(builder, sizes.precision, rank.blocks.front(), sizes.seq, number)};
  for (int64_t lane = 0; lane < sizes.batch; ++lane) {
    const auto input_of = [&](size_t block) { return block == 0 ? part_of(sizes, in, lane) : states[block - 1].out; };
    for (size_t block = 0; block < states.size(); ++block) {
      mlp_forward(program, stream, rank.blocks[block], input_of(block), states[block], sizes.precision);
    }
    for (size_t block = states.size(); block-- > 0;) {
      const Tensor grad = block + 1 == states.size() ? part_of(sizes, out_grad, lane) : grads[(block + 1) % 2].in;
      mlp_backward(program, stream, rank.blocks[block], input_of(block), states[block], grad, grads[block % 2],
                   sizes.precision);
      mlp_weight_grads(program, stream, rank.blocks[block], states[block], grad, grads[block % 2], sizes.precision,
                       lane > 0);
    }
  }
}

class Iteration {
 public:
  Iteration(WorkloadBuilder& builder, const Sizes& sizes, const std::vector<Rank>& ranks, const StreamRoles& roles,
            const std::vector<GradientReduction>& reductions)
      : builder_(builder),
        program_(builder.iteration()),
        sizes_(sizes),
        ranks_(ranks),
        roles_(roles),
        reductions_(reductions) {}

  void add() {
    each_rank([&](int32_t rank) {
      fork(program_, builder_.stream(rank, 0), roles_.used());
      forward(rank);
    });
    recompute(sizes_.segments() - 1);
    for (int64_t segment = sizes_.segments(); segment-- > 0;) {
      const std::vector<int32_t> computed = computed_;
      if (segment > 0) {
        recompute(segment - 1);
      }
      backward(segment, computed);
    }
    each_rank([&](int32_t rank) { join(program_, builder_.stream(rank, 0), roles_.used()); });
  }

 private:
  template <class Do>
  void each_rank(Do&& act) {
    for (int32_t rank = 0; rank < builder_.ranks(); ++rank) {
      act(rank);
    }
  }
  template <class Do>
  void each_lane(Do&& act) {
    each_rank([&](int32_t rank) {
      for (int64_t lane = 0; lane < sizes_.batch; ++lane) {
        act(rank, lane);
      }
    });
  }
  int32_t on(int32_t rank, Role role, int64_t part) const { return builder_.stream(rank, roles_.at(role, part)); }
  const Rank& rank_of(int32_t rank) const { return ranks_[static_cast<size_t>(rank)]; }
  const Lane& lane_of(int32_t rank, int64_t lane) const { return rank_of(rank).lanes[static_cast<size_t>(lane)]; }
  const Mlp& block_of(int32_t rank, int64_t block) const { return rank_of(rank).blocks[static_cast<size_t>(block)]; }

  void forward(int32_t rank) {
    for (int64_t block = 0; block < sizes_.blocks; ++block) {
      for (int64_t number = 0; number < sizes_.batch; ++number) {
        const Lane& lane = lane_of(rank, number);
        MlpState state = lane.rolling;
        state.out = activation(sizes_, lane, block + 1);
        mlp_forward(program_, on(rank, kLane, number), block_of(rank, block), activation(sizes_, lane, block), state,
                    sizes_.precision);
      }
    }
  }

  // Behind what has used the same memory: the backward pass of the segment after the next, and its weight gradients.
  void recompute(int64_t segment) {
    computed_.clear();
    each_lane([&](int32_t rank, int64_t number) {
      const int32_t stream = on(rank, kRecompute, number);
      program_.after(stream, on(rank, kLane, number));
      if (segment + 2 < sizes_.segments()) {
        for (int64_t block = sizes_.first_of(segment + 2); block <= sizes_.last_of(segment + 2); ++block) {
          program_.after(stream, on(rank, kWeights, block));
        }
      }
      const Lane& lane = lane_of(rank, number);
      const SegmentMemory& memory = lane.memory[segment % 2];
      for (int64_t block = sizes_.first_of(segment); block <= sizes_.last_of(segment); ++block) {
        mlp_forward(program_, stream, block_of(rank, block), input_of(lane, segment, block),
                    memory.states[static_cast<size_t>(block - sizes_.first_of(segment))], sizes_.precision);
      }
      computed_.push_back(program_.record(stream));
    });
  }

  // Of a block that is computed again.
  Tensor input_of(const Lane& lane, int64_t segment, int64_t block) const {
    const int64_t first = sizes_.first_of(segment);
    return block == first ? activation(sizes_, lane, block)
                          : lane.memory[segment % 2].states[static_cast<size_t>(block - first - 1)].out;
  }

  Tensor out_grad_of(const Lane& lane, int64_t segment, int64_t block) const {
    if (block + 1 == sizes_.blocks) {
      return lane.out_grad;
    }
    return block == sizes_.last_of(segment)
               ? lane.memory[(segment + 1) % 2].grads.front().in
               : lane.memory[segment % 2].grads[static_cast<size_t>(block + 1 - sizes_.first_of(segment))].in;
  }

  void backward(int64_t segment, const std::vector<int32_t>& computed) {
    size_t next = 0;
    each_lane([&](int32_t rank, int64_t number) {
      const int32_t lane = on(rank, kLane, number);
      program_.wait(lane, computed[next++]);
      if (segment + 1 < sizes_.segments()) {  // its weights read the gradient that this segment writes over
        program_.after(lane, on(rank, kWeights, sizes_.last_of(segment + 1)));
      }
    });
    for (int64_t block = sizes_.last_of(segment); block >= sizes_.first_of(segment); --block) {
      each_lane([&](int32_t rank, int64_t number) { backward_of(rank, number, segment, block); });
      if (builder_.world() > 1) {
        const int32_t index = roles_.at(kReduce, block);
        each_rank([&](int32_t rank) { program_.after(builder_.stream(rank, index), on(rank, kWeights, block)); });
        reductions_[static_cast<size_t>(block)].enqueue(builder_, program_, index);
      }
    }
  }

  void backward_of(int32_t rank, int64_t number, int64_t segment, int64_t block) {
    const Lane& lane = lane_of(rank, number);
    const auto place = static_cast<size_t>(block - sizes_.first_of(segment));
    const MlpState& state = lane.memory[segment % 2].states[place];
    const MlpGrads& grads = lane.memory[segment % 2].grads[place];
    const Tensor out_grad = out_grad_of(lane, segment, block);
    mlp_backward(program_, on(rank, kLane, number), block_of(rank, block), input_of(lane, segment, block), state,
                 out_grad, grads, sizes_.precision);
    program_.after(on(rank, kWeights, block), on(rank, kLane, number));
    mlp_weight_grads(program_, on(rank, kWeights, block), block_of(rank, block), state, out_grad, grads,
                     sizes_.precision, number > 0);
  }

  WorkloadBuilder& builder_;
  Program& program_;
  const Sizes& sizes_;
  const std::vector<Rank>& ranks_;
  const StreamRoles& roles_;
  const std::vector<GradientReduction>& reductions_;
  std::vector<int32_t> computed_;  // by rank and lane: the segment that was computed again last is there
};

Rank make_rank(WorkloadBuilder& builder, const Sizes& sizes, int32_t number) {
  Rank rank;
  const double range = 1 / std::sqrt(static_cast<double>(sizes.hidden));
  for (int64_t block = 0; block < sizes.blocks; ++block) {
    Mlp mlp;
    rank.buckets.push_back(WeightBucket::make(builder, sizes.precision, range, number, [&](WeightBucket& bucket) {
      mlp = take_mlp(bucket, sizes.hidden, 4 * sizes.hidden, UnaryOp::kRelu);
    }));
    rank.blocks.push_back(mlp);
  }
  return rank;
}

void add_lanes(WorkloadBuilder& builder, const Sizes& sizes, Rank& rank, int32_t number) {
  const int64_t rows = sizes.batch * sizes.seq;
  const Tensor in = builder.random(sizes.precision.dtype, {rows, sizes.hidden}, -1, 1, number);
  const Tensor out_grad = builder.random(sizes.precision.dtype, {rows, sizes.hidden}, -1, 1, number);
  const Tensor out = builder.tensor(sizes.precision.dtype, {rows, sizes.hidden}, number);
  builder.output("out", out, number);
  if (sizes.reference) {
    add_reference(builder, sizes, rank, in, out_grad, number);
  }
  for (int64_t lane = 0; lane < sizes.batch; ++lane) {
    const auto part = [&](const Tensor& whole) { return part_of(sizes, whole, lane); };
    rank.lanes.push_back(make_lane(builder, sizes, rank, part(in), part(out), part(out_grad), number));
  }
}

Result<void> build(WorkloadBuilder& builder) {
  AACO_ASSIGN(const Sizes sizes, sizes_of(builder));
  const auto lanes = static_cast<int32_t>(sizes.batch);
  std::vector<int32_t> wants{lanes, lanes, static_cast<int32_t>(sizes.blocks)};
  if (builder.world() > 1) {
    wants.push_back(static_cast<int32_t>(sizes.blocks));
  }
  const StreamRoles roles(builder.streams(), wants);
  std::vector<Rank> ranks;
  for (int32_t r = 0; r < builder.ranks(); ++r) {
    ranks.push_back(make_rank(builder, sizes, r));
  }
  std::vector<GradientReduction> reductions(static_cast<size_t>(sizes.blocks));
  for (size_t block = 0; block < reductions.size(); ++block) {
    std::vector<const WeightBucket*> by_rank;
    for (const Rank& rank : ranks) {
      by_rank.push_back(&rank.buckets[block]);
      reductions[block].add(rank.buckets[block]);
    }
    share_weights(builder, by_rank);
  }
  for (int32_t r = 0; r < builder.ranks(); ++r) {
    add_lanes(builder, sizes, ranks[static_cast<size_t>(r)], r);
    for (GradientReduction& reduction : reductions) {
      if (sizes.reference) {
        reduction.keep_reference(builder, r);
      }
    }
  }
  Iteration(builder, sizes, ranks, roles, reductions).add();
  for (size_t block = 0; block < reductions.size(); ++block) {
    reductions[block].finish(builder, fmt::format("gradients of block {}", block),
                             tolerance_of(builder, sizes.precision));
  }
  builder.units(static_cast<double>(sizes.batch * builder.ranks()));
  if (sizes.reference) {
    builder.note(
        "the memory includes that of the gradients without checkpoints, to compare: reference=0 leaves it out");
  }
  return {};
}

}  // namespace

const WorkloadInfo activation_ckpt{
    .id = "activation_ckpt",
    .alias = "",
    .priority = "P2",
    .category = "distributed",
    .unit = "samples",
    .summary = "A backward pass that computes again what the forward pass did not keep",
    .about =
        "The forward pass keeps every second block's input. The backward pass computes a segment again from there on "
        "one stream while the segment behind it goes backward on another, and the weights' gradients are computed on "
        "a third: whether these overlap is the question. Each sample is a lane of its own; batch * 2 + blocks streams "
        "have something to do, a stream a block more with several ranks, whose gradients are reduced block by block "
        "(by NCCL and RCCL one after the other: a rank has one communicator). "
        "The gradients are held against those of a pass that keeps everything (setup computes it).",
    .recommended_streams = 6,
    .switch_sensitivity = "high",
    .parameters = kParameters,
    .test_parameters = kTestParameters,
    .cpu_parameters = kCpuParameters,
    .build = build};

}  // namespace aaco::workloads
