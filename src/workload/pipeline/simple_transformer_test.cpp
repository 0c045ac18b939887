// SPDX-License-Identifier: MIT
#include <numeric>

#include "workload/checks/workload_run.h"
#include "workload/workload_list.h"

namespace aaco {

namespace {

// 4 sequences of 6 tokens in 4 micro-batches; 2 blocks, so 4 parts.
TEST(SimpleTransformerTest, UsesStreamsUpToItsIndependentParts) {
  for (const auto& [streams, used] : std::map<int32_t, int32_t>{{1, 1}, {2, 2}, {3, 3}, {8, 8}, {33, 8}, {128, 8}}) {
    auto run = make_workload_run(workloads::simple_transformer, streams);
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_EQ(run->instance->iteration.used_streams(), used);
    EXPECT_EQ(run->instance->units, 4);
    expect_no_hazards(*run);
  }
}

TEST(SimpleTransformerTest, LearnsInEveryDispatch) {
  for (const int32_t streams : {1, 2, 3, 8, 33, 128}) {
    for (const DispatchMode mode : {DispatchMode::kSingle, DispatchMode::kThreads}) {
      for (const int64_t iterations : {1, 3}) {
        auto run = make_workload_run(workloads::simple_transformer, streams);
        ASSERT_TRUE(run) << run.error().message;
        run_and_check(*run, mode, iterations);
      }
    }
  }
}

// Loss of uniform guesses is ln 30 = 3.4; two hundred steps on 24 tokens learn them almost by heart.
TEST(SimpleTransformerTest, LearnsTheTokensByHeart) {
  auto run = make_workload_run(workloads::simple_transformer, 4, 1, 1, {{"rate", "0.5"}});
  ASSERT_TRUE(run) << run.error().message;
  run_and_check(*run, DispatchMode::kSingle, 1);
  const std::vector<float> first = run->output("losses");
  EXPECT_NEAR(std::accumulate(first.begin(), first.end(), 0.0) / 24, 3.4, 0.5);
  run_and_check(*run, DispatchMode::kSingle, 200);
  const std::vector<float> last = run->output("losses");
  EXPECT_LT(std::accumulate(last.begin(), last.end(), 0.0) / 24, 0.5);
}

// The same samples on two ranks as on one: same gradients, same step.
TEST(SimpleTransformerTest, TrainsOverRanks) {
  for (const auto& [ranks, world] : std::map<int32_t, int32_t>{{1, 4}, {2, 2}}) {
    auto run = make_workload_run(workloads::simple_transformer, 8, ranks, world);
    ASSERT_TRUE(run) << run.error().message;
    expect_no_hazards(*run);
    run_and_check(*run, DispatchMode::kSingle, 3);
  }
  auto alone = make_workload_run(workloads::simple_transformer, 2);
  auto emulated = make_workload_run(workloads::simple_transformer, 2, 1, 4);
  ASSERT_TRUE(alone && emulated);
  run_and_check(*alone, DispatchMode::kSingle, 3);
  run_and_check(*emulated, DispatchMode::kSingle, 3);
  const std::vector<float> alone_losses = alone->output("losses");
  const std::vector<float> four = emulated->output("losses");
  for (size_t i = 0; i < alone_losses.size(); ++i) {
    EXPECT_NEAR(alone_losses[i], four[i], 1e-4);
  }
}

// The first step's losses are those that setup computed: they must be computed again all the same.
TEST(SimpleTransformerTest, TheCheckSeesLossesThatNobodyComputed) {
  for (const char* dtype : {"fp32", "bf16", "fp16"}) {
    auto run = make_workload_run(workloads::simple_transformer, 4, 1, 1, {{"dtype", dtype}});
    ASSERT_TRUE(run) << run.error().message;
    expect_ok(run_setup(*run->instance, run->target));
    EXPECT_FALSE(run->instance->checks.front()(*run->reader, 1)) << dtype;
    EXPECT_FALSE(run->instance->checks.front()(*run->reader, 2)) << dtype;
  }
}

TEST(SimpleTransformerTest, WorksInEveryPrecision) {
  for (const char* dtype : {"tf32", "bf16", "fp16"}) {
    auto run = make_workload_run(workloads::simple_transformer, 5, 1, 1, {{"dtype", dtype}});
    ASSERT_TRUE(run) << run.error().message;
    run_and_check(*run, DispatchMode::kSingle, 5);
  }
}

}  // namespace

}  // namespace aaco
