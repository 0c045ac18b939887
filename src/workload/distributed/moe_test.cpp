// SPDX-License-Identifier: MIT
#include <algorithm>
#include <numeric>

#include "workload/checks/workload_run.h"
#include "workload/workload_list.h"

namespace aaco {

namespace {

using Settings = std::map<std::string, std::string>;

std::vector<int32_t> counts_of(const WorkloadRun& run) {
  for (const WorkloadOutput& output : run.instance->outputs) {
    if (output.name == "tokens by expert") {
      auto counts = run.reader->integers(output.tensor);
      return counts ? *counts : std::vector<int32_t>();
    }
  }
  return {};
}

// 20 tokens to 2 of 8 experts each.
TEST(MoeTest, UsesAStreamAnExpert) {
  for (const auto& [streams, used] : std::map<int32_t, int32_t>{{1, 1}, {2, 2}, {3, 3}, {8, 8}, {33, 9}, {128, 9}}) {
    for (const Settings& given : {Settings{}, Settings{{"capacity", "1.5"}}, Settings{{"mode", "dense"}}}) {
      auto run = make_workload_run(workloads::moe, streams, 1, 1, given);
      ASSERT_TRUE(run) << run.error().message;
      EXPECT_EQ(run->instance->iteration.used_streams(), used);
      EXPECT_EQ(run->instance->units, 20);
      expect_no_hazards(*run);
    }
  }
}

TEST(MoeTest, CombinesWhatTheExpertsMake) {
  for (const int32_t streams : {1, 2, 3, 8, 33, 128}) {
    for (const Settings& given :
         {Settings{}, Settings{{"capacity", "1.5"}}, Settings{{"capacity", "0.5"}}, Settings{{"mode", "dense"}}}) {
      for (const DispatchMode mode : {DispatchMode::kSingle, DispatchMode::kThreads}) {
        auto run = make_workload_run(workloads::moe, streams, 1, 1, given);
        ASSERT_TRUE(run) << run.error().message;
        run_and_check(*run, mode, 3);
        expect_no_hazards(*run);
      }
    }
  }
}

TEST(MoeTest, ExpertsComputeTheirTokensOnly) {
  auto sparse = make_workload_run(workloads::moe, 4);
  auto dense = make_workload_run(workloads::moe, 4, 1, 1, {{"mode", "dense"}});
  ASSERT_TRUE(sparse && dense);
  run_and_check(*sparse, DispatchMode::kSingle, 1);
  run_and_check(*dense, DispatchMode::kSingle, 1);
  const auto products = [](const WorkloadRun& run) {
    double rows = 0;
    for (const Command& command : run.instance->iteration.commands()) {
      if (command.kind == CommandKind::kOp && command.op == OpId::kGemm) {
        const auto* args = static_cast<const GemmArgs*>(command.to);
        rows += args->n == 24 ? static_cast<double>(args->m) : 0;
      }
    }
    return rows;
  };
  EXPECT_EQ(products(*dense), 8 * 20);
  const std::vector<int32_t> counts = counts_of(*sparse);
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0), 40);
  // One row to spare for each expert without a token.
  EXPECT_EQ(products(*sparse), 40 + static_cast<double>(std::count(counts.begin(), counts.end(), 0)));
}

TEST(MoeTest, SkewMakesTheFirstExpertsHot) {
  auto run = make_workload_run(workloads::moe, 4, 1, 1, {{"skew", "50"}});
  ASSERT_TRUE(run) << run.error().message;
  run_and_check(*run, DispatchMode::kThreads, 2);
  // Biases are 50, 35.7, 21.4, ...: no score makes up for that.
  EXPECT_EQ(counts_of(*run), (std::vector<int32_t>{20, 20, 0, 0, 0, 0, 0, 0}));
}

TEST(MoeTest, CapacityDropsWhatIsBeyond) {
  auto run = make_workload_run(workloads::moe, 4, 1, 1, {{"skew", "50"}, {"capacity", "1"}});
  ASSERT_TRUE(run) << run.error().message;
  run_and_check(*run, DispatchMode::kGraph, 2);
  EXPECT_EQ(counts_of(*run), (std::vector<int32_t>{5, 5, 0, 0, 0, 0, 0, 0}));
}

TEST(MoeTest, ExchangesTokensBetweenRanks) {
  for (const Settings& given :
       {Settings{}, Settings{{"capacity", "1.5"}}, Settings{{"skew", "2"}, {"capacity", "1"}}}) {
    for (const auto& [ranks, world] : std::map<int32_t, int32_t>{{1, 4}, {2, 2}, {4, 4}}) {
      auto run = make_workload_run(workloads::moe, 5, ranks, world, given);
      ASSERT_TRUE(run) << run.error().message;
      expect_no_hazards(*run);
      run_and_check(*run, DispatchMode::kSingle, 3);
    }
  }
  EXPECT_FALSE(make_workload_run(workloads::moe, 5, 3, 3));
}

TEST(MoeTest, WorksInEveryPrecision) {
  for (const char* dtype : {"tf32", "bf16", "fp16"}) {
    auto run = make_workload_run(workloads::moe, 5, 1, 1, {{"dtype", dtype}});
    ASSERT_TRUE(run) << run.error().message;
    run_and_check(*run, DispatchMode::kSingle, 2);
  }
}

TEST(MoeTest, NoticesAWrongToken) {
  auto run = make_workload_run(workloads::moe, 2);
  ASSERT_TRUE(run) << run.error().message;
  run_and_check(*run, DispatchMode::kSingle, 1);
  for (const WorkloadOutput& output : run->instance->outputs) {
    if (output.name == "out") {
      *output.tensor.as<float>() += 1;
    }
  }
  EXPECT_FALSE(run->instance->checks[1](*run->reader, 1));
}

}  // namespace

}  // namespace aaco
