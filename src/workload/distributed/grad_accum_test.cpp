// SPDX-License-Identifier: MIT
#include "workload/checks/workload_run.h"
#include "workload/workload_list.h"

namespace aaco {

namespace {

// Micro-batches of 8 samples, 24 -> 40 -> 40 -> 20.
TEST(GradAccumTest, UsesStreamsUpToItsIndependentParts) {
  for (const auto& [streams, used] : std::map<int32_t, int32_t>{{1, 1}, {2, 2}, {3, 3}, {8, 7}, {33, 7}, {128, 7}}) {
    auto run = make_workload_run(workloads::grad_accum, streams);
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_EQ(run->instance->iteration.used_streams(), used);
    EXPECT_EQ(run->instance->units, 4 * 8);
    expect_no_hazards(*run);
  }
}

// Products alone: forward and two in the backward pass of 2 m (24*40 + 40*40 + 40*20) each, but for the first layer's
// input gradient.
TEST(GradAccumTest, CountsItsProducts) {
  auto run = make_workload_run(workloads::grad_accum, 4);
  ASSERT_TRUE(run) << run.error().message;
  double products = 0;
  for (const Command& command : run->instance->iteration.commands()) {
    products +=
        command.op == OpId::kGemm && command.kind == CommandKind::kOp ? work_of(OpId::kGemm, command.to).flops : 0;
  }
  const double rows = 2 * 4 * 8;
  const double exact = rows * (3 * (24 * 40 + 40 * 40 + 40 * 20) - 24 * 40);
  EXPECT_GE(products, exact);
  EXPECT_LT(products, exact * 1.05);  // epilogues
}

TEST(GradAccumTest, SumsWhatOnePassSums) {
  for (const int32_t streams : {1, 2, 3, 8, 33, 128}) {
    for (const DispatchMode mode : {DispatchMode::kSingle, DispatchMode::kThreads, DispatchMode::kGraph}) {
      auto run = make_workload_run(workloads::grad_accum, streams);
      ASSERT_TRUE(run) << run.error().message;
      run_and_check(*run, mode, 3);
    }
  }
}

TEST(GradAccumTest, SumsOverRanks) {
  for (const auto& [ranks, world] : std::map<int32_t, int32_t>{{1, 4}, {3, 3}}) {
    for (const char* overlap : {"0", "1"}) {
      auto run = make_workload_run(workloads::grad_accum, 8, ranks, world, {{"overlap", overlap}});
      ASSERT_TRUE(run) << run.error().message;
      expect_no_hazards(*run);
      run_and_check(*run, DispatchMode::kSingle, 3);
    }
  }
}

TEST(GradAccumTest, WorksInEveryPrecision) {
  for (const char* dtype : {"tf32", "bf16", "fp16"}) {
    auto run = make_workload_run(workloads::grad_accum, 5, 1, 1, {{"dtype", dtype}});
    ASSERT_TRUE(run) << run.error().message;
    run_and_check(*run, DispatchMode::kSingle, 2);
  }
}

}  // namespace

}  // namespace aaco
