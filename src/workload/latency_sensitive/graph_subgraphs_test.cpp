// SPDX-License-Identifier: MIT
#include "workload/checks/workload_run.h"
#include "workload/workload_list.h"

namespace aaco {

namespace {

// 8 subgraphs of two layers, 4 samples of 24 features, 32 hidden, 8 out.
TEST(GraphSubgraphsTest, CopiesGrowWithTheStreams) {
  for (const auto& [streams, copies] : std::map<int32_t, int32_t>{{1, 1}, {2, 1}, {3, 1}, {8, 1}, {33, 5}, {128, 16}}) {
    auto run = make_workload_run(workloads::graph_subgraphs, streams);
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_EQ(run->instance->iteration.used_streams(), streams);
    EXPECT_EQ(run->instance->iteration.kernels(), copies * (8 * 2 + 1));
    EXPECT_EQ(run->instance->units, copies * 4);
    // 2 m n k of each product, without what the epilogues add.
    const double products = copies * 2.0 * 4 * (8 * (24 * 32 + 32 * 8) + 64 * 8);
    EXPECT_GE(run->instance->iteration.flops(), products);
    EXPECT_LT(run->instance->iteration.flops(), products * 1.1);
    expect_no_hazards(*run);
  }
}

TEST(GraphSubgraphsTest, OneCopyUsesAStreamPerSubgraph) {
  auto run = make_workload_run(workloads::graph_subgraphs, 33, 1, 1, {{"scale", "fixed"}});
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->instance->iteration.used_streams(), 8);
  EXPECT_EQ(run->instance->notes, std::vector<std::string>{"uses 8 of 33 streams"});
}

TEST(GraphSubgraphsTest, GivesTheSameHoweverItIsDispatched) {
  for (const int32_t streams : {1, 2, 3, 8, 33, 128}) {
    for (const DispatchMode mode : {DispatchMode::kSingle, DispatchMode::kThreads, DispatchMode::kGraph}) {
      auto run = make_workload_run(workloads::graph_subgraphs, streams);
      ASSERT_TRUE(run) << run.error().message;
      run_and_check(*run, mode, 3);
    }
  }
}

TEST(GraphSubgraphsTest, WorksInEveryPrecision) {
  for (const char* dtype : {"tf32", "bf16", "fp16"}) {
    auto run = make_workload_run(workloads::graph_subgraphs, 4, 1, 1, {{"dtype", dtype}});
    ASSERT_TRUE(run) << run.error().message;
    run_and_check(*run, DispatchMode::kSingle, 2);
  }
}

// A wrong column of what a subgraph gave is found.
TEST(GraphSubgraphsTest, TheCheckSeesAWrongResult) {
  auto run = make_workload_run(workloads::graph_subgraphs, 4);
  ASSERT_TRUE(run) << run.error().message;
  run_and_check(*run, DispatchMode::kSingle, 1);
  run->instance->outputs.front().tensor.as<float>()[5] += 1;
  const auto checked = run->instance->checks.front()(*run->reader, 1);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().kind, ErrorKind::kInvalid);
}

}  // namespace

}  // namespace aaco
