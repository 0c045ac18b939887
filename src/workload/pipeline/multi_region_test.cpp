// SPDX-License-Identifier: MIT
#include "workload/checks/workload_run.h"
#include "workload/workload_list.h"

namespace aaco {

namespace {

// 4 samples of 6 tokens, 24 features, 96 between the dense layers. A lane: 4 kernels in each of 3 regions, 2 products.
TEST(MultiRegionTest, LanesGrowWithTheStreams) {
  struct Case {
    int32_t streams, copies, lanes, used;  // NOLINT(readability-isolate-declaration): a row of the table
  };
  // A copy has up to 8 streams, a lane up to four of them; 33 streams in five shares: 6, 7, 6, 7, 7.
  for (const Case& each : {Case{1, 1, 1, 1}, Case{2, 1, 1, 2}, Case{3, 1, 1, 3}, Case{8, 1, 2, 8}, Case{33, 5, 10, 33},
                           Case{128, 16, 32, 128}}) {
    auto run = make_workload_run(workloads::multi_region, each.streams);
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_EQ(run->instance->iteration.used_streams(), each.used) << each.streams;
    EXPECT_EQ(run->instance->iteration.kernels(), each.lanes * 14);
    EXPECT_EQ(run->instance->units, each.copies * 4);
    // Per token: three regions of two products, 24 x 96 each, and the merge, 48 x 24.
    const double products = each.copies * 2.0 * 4 * 6 * (3 * 2 * 24 * 96 + 48 * 24);
    EXPECT_GE(run->instance->iteration.flops(), products);
    EXPECT_LT(run->instance->iteration.flops(), products * 1.1);
    expect_no_hazards(*run);
  }
}

TEST(MultiRegionTest, GivesTheSameHoweverItIsDispatched) {
  for (const int32_t streams : {1, 2, 3, 8, 33, 128}) {
    for (const DispatchMode mode : {DispatchMode::kSingle, DispatchMode::kThreads, DispatchMode::kGraph}) {
      auto run = make_workload_run(workloads::multi_region, streams);
      ASSERT_TRUE(run) << run.error().message;
      run_and_check(*run, mode, 3);
    }
  }
}

TEST(MultiRegionTest, WorksInEveryPrecision) {
  for (const char* dtype : {"tf32", "bf16", "fp16"}) {
    auto run = make_workload_run(workloads::multi_region, 8, 1, 1, {{"dtype", dtype}});
    ASSERT_TRUE(run) << run.error().message;
    run_and_check(*run, DispatchMode::kSingle, 2);
  }
}

TEST(MultiRegionTest, IsFoundByItsOldName) {
  const auto workload = find_workload("torch_compile");
  ASSERT_TRUE(workload) << workload.error().message;
  EXPECT_STREQ((*workload)->id, "multi_region");
}

TEST(MultiRegionTest, TheCheckSeesAWrongResult) {
  auto run = make_workload_run(workloads::multi_region, 4);
  ASSERT_TRUE(run) << run.error().message;
  run_and_check(*run, DispatchMode::kSingle, 1);
  run->instance->outputs.front().tensor.as<float>()[5] += 1;
  EXPECT_FALSE(run->instance->checks.front()(*run->reader, 1));
}

}  // namespace

}  // namespace aaco
