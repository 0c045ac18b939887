// SPDX-License-Identifier: MIT
#include <array>
#include <utility>

#include "workload/distributed/fsdp_tp_model.h"
#include "workload/layers/stream_roles.h"
#include "workload/workload_list.h"

namespace aaco::workloads {

namespace {

constexpr Parameter kParameters[]{
    {"hidden", "512", "columns of a token; inside a block it has four times as many"},
    {"heads", "8", "attention heads, shared by the ranks"},
    {"layers", "4", "blocks"},
    {"stages", "2", "of the pipeline: between them activations go to the next rank"},
    {"batch", "8", "sequences of a rank"},
    {"micro_batches", "2", "parts of the batch, each on a lane of its own"},
    {"seq", "512", "tokens of a sequence"},
    {"gradients", "all", "all, or input: the gradient of the input alone, none of weights"},
    {"overlap", "1",
     "1: compute, weights' gradients and each kind of communication on streams of their own; 0: all on "
     "one stream"},
    kDtypeParameter};
constexpr Parameter kTestParameters[]{
    {"hidden", "16", ""}, {"heads", "4", ""}, {"layers", "3", ""}, {"batch", "2", ""}, {"seq", "5", ""}};
constexpr Parameter kCpuParameters[]{{"hidden", "64", ""}, {"batch", "2", ""}, {"seq", "32", ""}};

constexpr std::array<const char*, 2> kGradients{"all", "input"};

enum Role : size_t { kCompute, kWeights, kGather, kTensor, kPoint, kReduce, kRoles };

// The streams of the roles that there are: alone, a rank communicates nothing.
class FsdpRoles {
 public:
  FsdpRoles(int32_t streams, const FsdpSizes& sizes, bool alone) : roles_(streams, wants(sizes, alone)) {}
  int32_t at(Role role, int64_t part) const { return roles_.at(places_[role], part); }
  int32_t used() const { return roles_.used(); }

 private:
  std::vector<int32_t> wants(const FsdpSizes& sizes, bool alone) {
    const auto lanes = static_cast<int32_t>(sizes.micro_batches);
    const std::pair<Role, int32_t> all[] = {
        {kCompute, lanes},        {kWeights, sizes.weight_gradients ? static_cast<int32_t>(sizes.layers) : 0},
        {kGather, alone ? 0 : 1}, {kTensor, alone ? 0 : lanes},
        {kPoint, alone ? 0 : 1},  {kReduce, alone || !sizes.weight_gradients ? 0 : 1}};
    std::vector<int32_t> wanted;
    for (const auto& [role, count] : all) {
      places_[role] = wanted.size();
      if (count > 0) {
        wanted.push_back(count);
      }
    }
    return wanted;
  }

  std::array<size_t, kRoles> places_{};
  StreamRoles roles_;
};

Result<FsdpSizes> sizes_of(const WorkloadBuilder& builder) {
  const Parameters& given = builder.parameters();
  FsdpSizes sizes;
  AACO_ASSIGN(sizes.hidden, given.integer("hidden", 1, 1 << 16));
  AACO_ASSIGN(sizes.heads, given.integer("heads", 1, 1024));
  AACO_ASSIGN(sizes.layers, given.integer("layers", 1, 1024));
  AACO_ASSIGN(sizes.stages, given.integer("stages", 1, sizes.layers));
  AACO_ASSIGN(sizes.batch, given.integer("batch", 1, 1 << 14));
  AACO_ASSIGN(sizes.micro_batches, given.integer("micro_batches", 1, 1 << 14));
  AACO_ASSIGN(sizes.seq, given.integer("seq", 1, 1 << 14));
  AACO_ASSIGN(sizes.precision, given.precision());
  AACO_ASSIGN(const size_t gradients, given.choice("gradients", kGradients));
  sizes.weight_gradients = gradients == 0;
  if (sizes.hidden % sizes.heads != 0 || sizes.batch % sizes.micro_batches != 0 || sizes.heads % builder.world() != 0) {
    return Error{ErrorKind::kUsage,
                 fmt::format("heads={} must divide hidden={} and be a multiple of the {} ranks, and micro_batches={} "
                             "must divide batch={}",
                             sizes.heads, sizes.hidden, builder.world(), sizes.micro_batches, sizes.batch),
                 "choose others with --param"};
  }
  return sizes;
}

class Iteration {
 public:
  Iteration(WorkloadBuilder& builder, const FsdpSizes& sizes, const FsdpModel& model, const FsdpRoles& roles)
      : builder_(builder), program_(builder.iteration()), sizes_(sizes), model_(model), roles_(roles) {}

  void add() {
    each_rank([&](int32_t rank) { fork(program_, builder_.stream(rank, 0), roles_.used()); });
    gather_weights(0);
    for (int64_t layer = 0; layer < sizes_.layers; ++layer) {
      const std::vector<int32_t> gathered = gathered_;
      if (layer + 1 < sizes_.layers) {
        gather_weights(layer + 1);
      }
      each_micro_batch([&](int64_t micro) { forward(layer, micro, gathered); });
    }
    for (int64_t layer = sizes_.layers; layer-- > 0;) {
      each_micro_batch([&](int64_t micro) { backward(layer, micro); });
      reduce_gradients(layer);
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
  void each_micro_batch(Do&& act) {
    for (int64_t micro = 0; micro < sizes_.micro_batches; ++micro) {
      act(micro);
    }
  }
  int32_t on(int32_t rank, Role role, int64_t part) const { return builder_.stream(rank, roles_.at(role, part)); }

  // The collective on the role's stream, behind what the compute lane was given, and the lane behind it.
  void exchange(Collective collective, Role role, int64_t micro, Tensor LayerPass::* from, Tensor LayerPass::* to,
                int64_t layer) {
    if (builder_.world() == 1) {
      return;  // both are the same memory
    }
    CollectiveBuffers buffers;
    each_rank([&](int32_t rank) {
      const LayerPass& pass = model_.pass(rank, layer, micro);
      buffers.send.push_back(pass.*from);
      buffers.receive.push_back(pass.*to);
      program_.after(on(rank, role, micro), on(rank, kCompute, micro));
    });
    add_collective(builder_, program_, collective, roles_.at(role, micro), buffers, sizes_.rows() * sizes_.hidden);
    each_rank([&](int32_t rank) { program_.after(on(rank, kCompute, micro), on(rank, role, micro)); });
  }

  // One layer ahead of the compute lanes: behind what they were given so far.
  void gather_weights(int64_t layer) {
    gathered_.clear();
    if (builder_.world() == 1) {
      return;
    }
    CollectiveBuffers buffers;
    each_rank([&](int32_t rank) {
      const FsdpLayer& weights = model_.layer(rank, layer);
      buffers.send.push_back(weights.shard);
      buffers.receive.push_back(weights.mlp_bucket.values());
      each_micro_batch([&](int64_t micro) { program_.after(on(rank, kGather, 0), on(rank, kCompute, micro)); });
    });
    add_collective(builder_, program_, Collective::kAllGather, roles_.at(kGather, 0), buffers,
                   buffers.send.front().elements());
    each_rank([&](int32_t rank) { gathered_.push_back(program_.record(on(rank, kGather, 0))); });
  }

  void forward(int64_t layer, int64_t micro, const std::vector<int32_t>& gathered) {
    each_rank([&](int32_t rank) {
      const LayerPass& pass = model_.pass(rank, layer, micro);
      norm_forward(program_, on(rank, kCompute, micro), Norm{}, pass.in, pass.norm);
    });
    exchange(Collective::kAllGather, kTensor, micro, &LayerPass::normed, &LayerPass::tokens, layer);
    each_rank([&](int32_t rank) {
      const LayerPass& pass = model_.pass(rank, layer, micro);
      attention_forward(program_, on(rank, kCompute, micro), model_.layer(rank, layer).attention, pass.tokens,
                        pass.attention, pass.partial, sizes_.precision);
    });
    exchange(Collective::kReduceScatter, kTensor, micro, &LayerPass::partial, &LayerPass::middle, layer);
    each_rank([&](int32_t rank) {
      const LayerPass& pass = model_.pass(rank, layer, micro);
      const int32_t lane = on(rank, kCompute, micro);
      add_to(program_, lane, pass.middle, pass.in);
      if (!gathered.empty()) {
        program_.wait(lane, gathered[static_cast<size_t>(rank)]);
      }
      mlp_forward(program_, lane, model_.layer(rank, layer).mlp, pass.middle, pass.mlp, sizes_.precision);
    });
    if (sizes_.ends_stage(layer)) {
      exchange(Collective::kSendNext, kPoint, micro, &LayerPass::out, &LayerPass::passed_on, layer);
    }
  }

  // The gradient goes back to the rank before: by the ring, as many steps forward as there are other ranks.
  void send_back(int64_t layer, int64_t micro) {
    for (int32_t step = 1; step < builder_.world(); ++step) {
      const bool odd = step % 2 != 0;
      exchange(Collective::kSendNext, kPoint, micro,
               step == 1 ? &LayerPass::passed_on_grad
               : odd     ? &LayerPass::returned_spare
                         : &LayerPass::returned,
               odd ? &LayerPass::returned : &LayerPass::returned_spare, layer);
    }
  }

  void backward(int64_t layer, int64_t micro) {
    if (sizes_.ends_stage(layer)) {
      send_back(layer, micro);
    }
    each_rank([&](int32_t rank) {
      const LayerPass& pass = model_.pass(rank, layer, micro);
      mlp_backward(program_, on(rank, kCompute, micro), model_.layer(rank, layer).mlp, pass.middle, pass.mlp,
                   pass.out_grad, pass.mlp_grads, sizes_.precision);
    });
    exchange(Collective::kAllGather, kTensor, micro, &LayerPass::middle_grad, &LayerPass::partial_grad, layer);
    each_rank([&](int32_t rank) {
      const LayerPass& pass = model_.pass(rank, layer, micro);
      attention_backward(program_, on(rank, kCompute, micro), model_.layer(rank, layer).attention, pass.attention,
                         pass.partial_grad, pass.attention_grads, sizes_.precision);
    });
    exchange(Collective::kReduceScatter, kTensor, micro, &LayerPass::tokens_grad, &LayerPass::normed_grad, layer);
    each_rank([&](int32_t rank) {
      const LayerPass& pass = model_.pass(rank, layer, micro);
      const int32_t lane = on(rank, kCompute, micro);
      if (sizes_.weight_gradients) {
        add_weight_gradients(rank, layer, micro);
      }
      norm_backward(program_, lane, Norm{}, pass.in, pass.norm, pass.normed_grad, pass.in_grad);
      add_to(program_, lane, pass.in_grad, pass.middle_grad);
    });
  }

  void add_weight_gradients(int32_t rank, int64_t layer, int64_t micro) {
    const LayerPass& pass = model_.pass(rank, layer, micro);
    const FsdpLayer& weights = model_.layer(rank, layer);
    const int32_t stream = on(rank, kWeights, layer);
    program_.after(stream, on(rank, kCompute, micro));
    mlp_weight_grads(program_, stream, weights.mlp, pass.mlp, pass.out_grad, pass.mlp_grads, sizes_.precision,
                     micro > 0);
    attention_weight_grads(program_, stream, weights.attention, pass.tokens, pass.attention, pass.partial_grad,
                           pass.attention_grads, sizes_.precision, micro > 0);
  }

  void reduce_gradients(int64_t layer) {
    if (builder_.world() == 1 || !sizes_.weight_gradients) {
      return;
    }
    CollectiveBuffers buffers;
    each_rank([&](int32_t rank) {
      const FsdpLayer& weights = model_.layer(rank, layer);
      buffers.send.push_back(weights.mlp_bucket.grads());
      buffers.receive.push_back(weights.shard_grad);
      program_.after(on(rank, kReduce, 0), on(rank, kWeights, layer));
    });
    add_collective(builder_, program_, Collective::kReduceScatter, roles_.at(kReduce, 0), buffers,
                   buffers.receive.front().elements());
  }

  WorkloadBuilder& builder_;
  Program& program_;
  const FsdpSizes& sizes_;
  const FsdpModel& model_;
  const FsdpRoles& roles_;
  std::vector<int32_t> gathered_;  // by rank: the weights that were gathered last are there
};

Result<void> build(WorkloadBuilder& builder) {
  AACO_ASSIGN(const FsdpSizes sizes, sizes_of(builder));
  AACO_ASSIGN(const int64_t overlap, builder.parameters().integer("overlap", 0, 1));
  const FsdpRoles roles(overlap == 1 ? builder.streams() : 1, sizes, builder.world() == 1);
  const FsdpModel model(builder, sizes);
  Iteration(builder, sizes, model, roles).add();
  model.add_outputs_and_checks(builder);
  builder.units(static_cast<double>(sizes.batch * builder.ranks()));
  return {};
}

}  // namespace

const WorkloadInfo fsdp_tp{
    .id = "fsdp_tp",
    .alias = "",
    .priority = "P1",
    .category = "distributed",
    .unit = "samples",
    .summary = "Forward and backward of a transformer that is split over ranks in three ways",
    .about =
        "One group of ranks is used in three ways. Attention is tensor-parallel: each rank has some heads, computes "
        "them for all ranks' tokens, which are gathered before and reduced and scattered behind. The other half of a "
        "block is fully sharded: its weights are gathered one layer ahead, its gradients reduced and scattered. "
        "Between pipeline stages activations go to the next rank, and their gradients back (around the ring: ranks - 1 "
        "steps). Micro-batches are lanes of their own; each kind of communication and each layer's weight gradients "
        "have streams of their own: 2 * micro_batches + layers + 3 of them, on one rank, which communicates nothing, "
        "micro_batches + layers. gradients=input leaves out those of weights and their streams. A rank has one "
        "communicator: NCCL and RCCL do its collectives one after the other, on "
        "whichever streams they are, so that these streams overlap with compute, not with each other. overlap=0 is the "
        "same on one stream.",
    .recommended_streams = 10,
    .switch_sensitivity = "high",
    .parameters = kParameters,
    .test_parameters = kTestParameters,
    .cpu_parameters = kCpuParameters,
    .build = build};

}  // namespace aaco::workloads
