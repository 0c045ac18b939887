// SPDX-License-Identifier: MIT
#include <algorithm>

#include "workload/checks/workload_run.h"
#include "workload/workload_list.h"

namespace aaco {

namespace {

// 2 samples of 6 rows, 5 blocks 16 -> 64 -> 16, a checkpoint every 2.
TEST(ActivationCkptTest, UsesStreamsUpToItsIndependentParts) {
  for (const auto& [streams, used] : std::map<int32_t, int32_t>{{1, 1}, {2, 2}, {3, 3}, {8, 8}, {33, 9}, {128, 9}}) {
    auto run = make_workload_run(workloads::activation_ckpt, streams);
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_EQ(run->instance->iteration.used_streams(), used);
    expect_no_hazards(*run);
  }
}

// Forward twice (once again), and two products for each in the backward pass: 4 * 2 rows (2 * 16 * 64) a block.
TEST(ActivationCkptTest, ComputesTheForwardPassTwice) {
  auto run = make_workload_run(workloads::activation_ckpt, 4);
  ASSERT_TRUE(run) << run.error().message;
  int64_t products = 0;
  for (const Command& command : run->instance->iteration.commands()) {
    products += command.kind == CommandKind::kOp && command.op == OpId::kGemm ? 1 : 0;
  }
  EXPECT_EQ(products, 2 * 5 * (2 + 2 + 4));
}

TEST(ActivationCkptTest, HasTheGradientsOfAPassThatKeepsEverything) {
  for (const int32_t streams : {1, 2, 3, 8, 33, 128}) {
    for (const DispatchMode mode : {DispatchMode::kSingle, DispatchMode::kThreads}) {
      auto run = make_workload_run(workloads::activation_ckpt, streams);
      ASSERT_TRUE(run) << run.error().message;
      run_and_check(*run, mode, 3);
    }
  }
}

TEST(ActivationCkptTest, HasThemForEveryLengthOfSegment) {
  for (const char* every : {"1", "3", "4", "5", "7"}) {
    auto run = make_workload_run(workloads::activation_ckpt, 6, 1, 1, {{"checkpoint_every", every}});
    ASSERT_TRUE(run) << run.error().message;
    expect_no_hazards(*run);
    run_and_check(*run, DispatchMode::kThreads, 2);
  }
}

TEST(ActivationCkptTest, ReducesOverRanks) {
  for (const auto& [ranks, world] : std::map<int32_t, int32_t>{{1, 4}, {2, 2}}) {
    auto run = make_workload_run(workloads::activation_ckpt, 8, ranks, world);
    ASSERT_TRUE(run) << run.error().message;
    expect_no_hazards(*run);
    run_and_check(*run, DispatchMode::kSingle, 2);
  }
}

// One element of 2,000 off by a thousandth: 2e-5 of the gradient's size at most.
TEST(ActivationCkptTest, TheCheckSeesAWrongGradient) {
  auto run = make_workload_run(workloads::activation_ckpt, 4);
  ASSERT_TRUE(run) << run.error().message;
  run_and_check(*run, DispatchMode::kSingle, 1);
  const auto gradients = std::find_if(run->instance->outputs.begin(), run->instance->outputs.end(),
                                      [](const auto& output) { return output.name == "gradients of block 2"; });
  ASSERT_NE(gradients, run->instance->outputs.end());
  gradients->tensor.as<float>()[7] *= 1.001F;
  EXPECT_EQ(std::count_if(run->instance->checks.begin(), run->instance->checks.end(),
                          [&](const auto& check) { return !check(*run->reader, 1); }),
            1);
}

TEST(ActivationCkptTest, WorksInEveryPrecision) {
  for (const char* dtype : {"tf32", "bf16", "fp16"}) {
    auto run = make_workload_run(workloads::activation_ckpt, 5, 1, 1, {{"dtype", dtype}});
    ASSERT_TRUE(run) << run.error().message;
    run_and_check(*run, DispatchMode::kSingle, 2);
  }
}

}  // namespace

}  // namespace aaco
