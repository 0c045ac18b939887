// SPDX-License-Identifier: MIT
#include "workload/checks/workload_run.h"
#include "workload/workload_list.h"

namespace aaco {

namespace {

TEST(CommsComputeOverlapTest, UsesEveryStream) {
  for (const int32_t streams : {1, 2, 3, 8, 33, 128}) {
    auto run = make_workload_run(workloads::comms_compute_overlap, streams, 1, 4);
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_EQ(run->instance->iteration.used_streams(), streams);
    // 3 products of 48 x 40 x 56 on each compute stream.
    EXPECT_NEAR(run->instance->units, 3.0 * std::max(1, streams - 1) * 2 * 48 * 40 * 56 / 1e12, 1e-15);
    expect_no_hazards(*run);
    run_and_check(*run, DispatchMode::kThreads, 3);
  }
}

TEST(CommsComputeOverlapTest, DoesEachHalfAlone) {
  auto compute = make_workload_run(workloads::comms_compute_overlap, 4, 1, 4, {{"mode", "compute_only"}});
  ASSERT_TRUE(compute) << compute.error().message;
  EXPECT_TRUE(compute->instance->iteration.collectives().empty());
  EXPECT_EQ(compute->instance->iteration.used_streams(), 3);
  run_and_check(*compute, DispatchMode::kSingle, 2);
  auto comms = make_workload_run(workloads::comms_compute_overlap, 4, 1, 4, {{"mode", "comms_only"}});
  ASSERT_TRUE(comms) << comms.error().message;
  EXPECT_EQ(comms->instance->iteration.kernels(), 0);
  EXPECT_EQ(comms->instance->iteration.collectives().size(), 2U);
  EXPECT_EQ(comms->instance->units, 0);
  run_and_check(*comms, DispatchMode::kSingle, 2);
}

TEST(CommsComputeOverlapTest, ChecksEveryCollective) {
  for (const char* collective :
       {"all_reduce", "reduce_scatter", "all_gather", "all_to_all", "broadcast", "send_next"}) {
    for (const auto& [ranks, world] : std::map<int32_t, int32_t>{{1, 1}, {2, 4}, {3, 3}}) {
      auto run = make_workload_run(workloads::comms_compute_overlap, 2, ranks == 2 ? 1 : ranks, world,
                                   {{"collective", collective}, {"comm_dtype", ranks == 2 ? "bf16" : "fp32"}});
      ASSERT_TRUE(run) << run.error().message;
      expect_no_hazards(*run);
      run_and_check(*run, DispatchMode::kSingle, 2);
    }
  }
}

// The checks see a wrong element.
TEST(CommsComputeOverlapTest, NoticesWhatIsWrong) {
  auto run = make_workload_run(workloads::comms_compute_overlap, 2, 2, 2);
  ASSERT_TRUE(run) << run.error().message;
  run_and_check(*run, DispatchMode::kSingle, 1);
  for (const WorkloadOutput& output : run->instance->outputs) {
    if (output.rank != 0) {
      continue;
    }
    auto* first = output.tensor.as<float>();
    const float kept = *first;
    *first += 1;
    bool noticed = false;
    for (const auto& check : run->instance->checks) {
      noticed = noticed || !check(*run->reader, 1);
    }
    EXPECT_TRUE(noticed) << output.name;
    *first = kept;
  }
}

}  // namespace

}  // namespace aaco
