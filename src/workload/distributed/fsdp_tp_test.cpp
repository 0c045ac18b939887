// SPDX-License-Identifier: MIT
#include "workload/checks/workload_run.h"
#include "workload/layers/closeness.h"
#include "workload/workload_list.h"

namespace aaco {

namespace {

// 3 layers, 2 micro-batches: 2 lanes and 3 streams of weights; with several ranks 2 for attention's exchanges and one
// each for gathering, sending on and reducing besides.
TEST(FsdpTpTest, UsesStreamsUpToItsIndependentParts) {
  for (const int32_t streams : {1, 2, 3, 8, 33, 128}) {
    auto alone = make_workload_run(workloads::fsdp_tp, streams);
    ASSERT_TRUE(alone) << alone.error().message;
    EXPECT_EQ(alone->instance->iteration.used_streams(), std::min(streams, 5));
    EXPECT_TRUE(alone->instance->iteration.collectives().empty());
    expect_no_hazards(*alone);
    auto many = make_workload_run(workloads::fsdp_tp, streams, 1, 4);
    ASSERT_TRUE(many) << many.error().message;
    EXPECT_EQ(many->instance->iteration.used_streams(), std::min(streams, 10));
    expect_no_hazards(*many);
  }
}

// Per layer one gather of weights, one reduction of gradients and, per micro-batch, two exchanges each way; at the one
// end of a stage per micro-batch one step forward and ranks - 1 around.
TEST(FsdpTpTest, CommunicatesInThreeWays) {
  auto run = make_workload_run(workloads::fsdp_tp, 8, 1, 4);
  ASSERT_TRUE(run) << run.error().message;
  std::map<Collective, int> counts;
  for (const CollectiveCommand& command : run->instance->iteration.collectives()) {
    ++counts[command.collective];
  }
  EXPECT_EQ(counts[Collective::kAllGather], 3 + 3 * 2 * 2);
  EXPECT_EQ(counts[Collective::kReduceScatter], 3 + 3 * 2 * 2);
  EXPECT_EQ(counts[Collective::kSendNext], 2 * (1 + 3));
}

TEST(FsdpTpTest, ChecksInEveryDispatch) {
  for (const int32_t streams : {1, 2, 3, 8, 33, 128}) {
    for (const DispatchMode mode : {DispatchMode::kSingle, DispatchMode::kThreads}) {
      for (const int32_t world : {1, 4}) {
        auto run = make_workload_run(workloads::fsdp_tp, streams, 1, world);
        ASSERT_TRUE(run) << run.error().message;
        run_and_check(*run, mode, 3);
      }
    }
  }
}

TEST(FsdpTpTest, ChecksWithRealRanks) {
  for (const int32_t ranks : {2, 4}) {
    for (const char* overlap : {"0", "1"}) {
      auto run = make_workload_run(workloads::fsdp_tp, 8, ranks, ranks, {{"overlap", overlap}, {"stages", "3"}});
      ASSERT_TRUE(run) << run.error().message;
      expect_no_hazards(*run);
      run_and_check(*run, DispatchMode::kSingle, 3);
    }
  }
  EXPECT_FALSE(make_workload_run(workloads::fsdp_tp, 8, 3, 3));  // 4 heads
}

// The gradients of weights are a third of a step's products, and have streams and a reduction of their own.
TEST(FsdpTpTest, GradientsOfTheInputAlone) {
  for (const int32_t world : {1, 2}) {
    const auto all = make_workload_run(workloads::fsdp_tp, 128, 1, world);
    auto run = make_workload_run(workloads::fsdp_tp, 128, 1, world, {{"gradients", "input"}});
    ASSERT_TRUE(all && run) << run.error().message;
    EXPECT_EQ(run->instance->iteration.used_streams(), all->instance->iteration.used_streams() - (world == 1 ? 3 : 4));
    EXPECT_LT(run->instance->iteration.flops(), 0.75 * all->instance->iteration.flops());
    EXPECT_GT(run->instance->iteration.flops(), 0.6 * all->instance->iteration.flops());
    expect_no_hazards(*run);
    run_and_check(*run, DispatchMode::kSingle, 3);
  }
}

TEST(FsdpTpTest, WorksInEveryPrecision) {
  for (const char* dtype : {"tf32", "bf16", "fp16"}) {
    auto run = make_workload_run(workloads::fsdp_tp, 5, 2, 2, {{"dtype", dtype}});
    ASSERT_TRUE(run) << run.error().message;
    run_and_check(*run, DispatchMode::kSingle, 2);
  }
}

// Where a weight lies that may be changed, and its gradient over all ranks.
struct Place {
  float* value = nullptr;
  const float* grad = nullptr;
};

// The rank's part of a collective of `kind` whose `end` (send or receive) holds `pointer`, and where in it.
template <class End>
std::pair<const CollectiveCommand*, int64_t> holding(const Program& program, Collective kind, const float* pointer,
                                                     int64_t elements, End&& end) {
  for (const CollectiveCommand& command : program.collectives()) {
    for (const CollectiveRank& rank : command.ranks) {
      const auto* start = static_cast<const float*>(end(rank));
      if (command.collective == kind && pointer >= start && pointer < start + elements * command.count) {
        return {&command, pointer - start};
      }
    }
  }
  return {nullptr, 0};
}

// The element of a weight that is multiplied with, and of its gradient: a shard's, where weights are gathered.
Place place_of(const Program& program, int64_t ranks, float* weight, const float* grad) {
  const auto [gather, at] =
      holding(program, Collective::kAllGather, weight, ranks, [](const CollectiveRank& rank) { return rank.receive; });
  const auto [reduce, grad_at] =
      holding(program, Collective::kReduceScatter, grad, ranks, [](const CollectiveRank& rank) { return rank.send; });
  if (gather == nullptr || reduce == nullptr) {
    return {weight, grad};
  }
  const auto rank = static_cast<size_t>(at / gather->count);
  auto* shard = static_cast<float*>(const_cast<void*>(gather->ranks[rank].send));  // NOLINT: a test's memory
  return {shard + at % gather->count, static_cast<float*>(reduce->ranks[rank].receive) + grad_at % reduce->count};
}

// Of every weight matrix, some elements: the products that make gradients (transpose_a) have the same first operand as
// those of the forward pass.
std::vector<Place> some_weights(const Program& program, int64_t ranks) {
  std::vector<Place> places;
  for (const Command& command : program.commands()) {
    const auto* grad = static_cast<const GemmArgs*>(command.to);
    if (command.kind != CommandKind::kOp || command.op != OpId::kGemm || grad->transpose_a == 0) {
      continue;
    }
    for (const Command& other : program.commands()) {
      const auto* forward = static_cast<const GemmArgs*>(other.to);
      if (other.kind == CommandKind::kOp && other.op == OpId::kGemm && forward->a == grad->a &&
          forward->transpose_a == 0 && forward->transpose_b == 0) {
        auto* weight = static_cast<float*>(const_cast<void*>(forward->b));  // NOLINT: a test's memory
        for (int64_t i = 0; i < grad->m * grad->n; i += 97) {
          places.push_back(place_of(program, ranks, weight + i, static_cast<const float*>(grad->c) + i));
        }
      }
    }
  }
  return places;
}

// The loss is the sum over ranks and micro-batches of out * out_grad. The first product of each rank's backward pass
// reads the first micro-batch's out_grad, behind which the other one's lies.
double loss_of(const WorkloadRun& run, int32_t ranks) {
  double loss = 0;
  int32_t rank = 0;
  for (const Command& command : run.instance->iteration.commands()) {
    const auto* args = static_cast<const GemmArgs*>(command.to);
    if (command.kind != CommandKind::kOp || command.op != OpId::kGemm || args->transpose_b == 0 || rank == ranks ||
        command.stream / run.instance->streams != rank) {
      continue;
    }
    const auto* out_grad = static_cast<const float*>(args->a);
    for (const WorkloadOutput& output : run.instance->outputs) {
      if (output.rank == rank && output.name.starts_with("out of micro-batch")) {
        for (int64_t i = 0; i < output.tensor.elements(); ++i) {
          loss += static_cast<double>(output.tensor.as<float>()[i]) * static_cast<double>(*out_grad++);
        }
      }
    }
    ++rank;
  }
  return loss;
}

TEST(FsdpTpTest, GradientsAreDifferencesOfTheLoss) {
  for (const int32_t ranks : {1, 2}) {
    auto run = make_workload_run(workloads::fsdp_tp, 4, ranks, ranks);
    ASSERT_TRUE(run) << run.error().message;
    expect_ok(run_setup(*run->instance, run->target));
    auto dispatcher = make_dispatcher(DispatchMode::kSingle, run->instance->iteration, run->target);
    ASSERT_TRUE(dispatcher) << dispatcher.error().message;
    const auto loss = [&] {
      expect_ok((*dispatcher)->enqueue());
      expect_ok(synchronize(run->target));
      return loss_of(*run, ranks);
    };
    loss();
    std::vector<float> gradients;
    std::vector<float> differences;
    const std::vector<Place> places = some_weights(run->instance->iteration, ranks);
    ASSERT_GT(places.size(), 100U);
    for (const Place& place : places) {
      gradients.push_back(*place.grad);
    }
    for (const Place& place : places) {
      constexpr float kStep = 1e-2F;
      const float kept = *place.value;
      *place.value = kept + kStep;
      const double above = loss();
      *place.value = kept - kStep;
      const double below = loss();
      *place.value = kept;
      differences.push_back(static_cast<float>((above - below) / (2.0 * static_cast<double>(kStep))));
    }
    EXPECT_LT(relative_difference(gradients, differences), 1e-2) << ranks << " ranks";
  }
}

}  // namespace

}  // namespace aaco
