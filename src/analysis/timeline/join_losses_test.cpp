// SPDX-License-Identifier: MIT
#include "analysis/timeline/join_losses.h"

#include <gtest/gtest.h>
#include <vector>

#include "analysis/timeline/test_trace.h"
#include "analysis/timeline/trace_summary.h"

namespace aaco {
namespace {

class JoinLosses : public testing::Test {
 protected:
  std::vector<uint64_t> replays() {
    const LaunchIndex launches(trace_.table);
    losses_ = LossTable();
    return count_unrecorded_replays(trace_.table, device_work(trace_.table, launches), launches, losses_);
  }

  TestTrace trace_;
  uint32_t host_ = trace_.thread(0);
  uint32_t stream_ = trace_.stream(0, 0, 7);
  LossTable losses_;
};

TEST_F(JoinLosses, AGraphThatLeftNoRecordMakesIdleAnUpperBound) {
  trace_.add(host_, EventKind::kHostCall, "cudaGraphLaunch", 0, 10, 1);
  trace_.add(host_, EventKind::kHostCall, "cuGraphLaunch", 2, 5, 1);  // within it
  trace_.add(stream_, EventKind::kKernel, "k", 20, 10, 1);
  trace_.add(stream_, EventKind::kKernel, "k", 30, 10, 1);
  EXPECT_EQ(replays(), (std::vector<uint64_t>{0}));
  EXPECT_FALSE(summarise_trace(trace_.table).devices[0].idle_is_upper_bound);

  trace_.add(host_, EventKind::kHostCall, "hipGraphLaunch", 100, 10, 2);
  trace_.add(host_, EventKind::kHostCall, "hipLaunchKernel", 120, 10, 3);  // which is none
  EXPECT_EQ(replays(), (std::vector<uint64_t>{1}));
  EXPECT_EQ(losses_.count(Loss::kUnrecordedReplay), 1U);
  const DeviceSummary device = summarise_trace(trace_.table).devices.at(0);
  EXPECT_EQ(device.unrecorded_replays, 1U);
  EXPECT_TRUE(device.idle_is_upper_bound);
}

TEST_F(JoinLosses, AReplayIsOfItsRank) {
  const uint32_t other_device = trace_.stream(0, 1, 7);
  const uint32_t other_rank = trace_.stream(1, 0, 7);
  const uint32_t without_device = trace_.thread(2);
  for (const uint32_t track : {stream_, other_device, other_rank}) {
    trace_.add(track, EventKind::kKernel, "k", 20, 10);
  }
  trace_.add(host_, EventKind::kHostCall, "cudaGraphLaunch", 0, 10, 1);
  trace_.add(without_device, EventKind::kHostCall, "cudaGraphLaunch", 0, 10, 1);
  EXPECT_EQ(replays(), (std::vector<uint64_t>{1, 1, 0}));  // which of the two it ran on is not known
  EXPECT_EQ(losses_.count(Loss::kUnrecordedReplay), 1U);
}

TEST_F(JoinLosses, AnArrowWithoutANameIsAFlow) {  // as in Perfetto's format
  trace_.table.add({0, 0, 5, kNoId, kEmptyString, kEmptyString, host_, EventKind::kOther, EventShape::kFlowStart}, {});
  count_unmatched_flows(trace_.table, losses_);
  ASSERT_EQ(losses_.entries().size(), 1U);
  EXPECT_EQ(losses_.entries()[0].example, "flow 5");
}

TEST_F(JoinLosses, WhatWasNotReadMakesIdleAnUpperBound) {
  trace_.add(stream_, EventKind::kKernel, "k", 20, 10);
  trace_.table.losses.add(Loss::kZeroDuration);
  EXPECT_FALSE(summarise_trace(trace_.table).devices.at(0).idle_is_upper_bound);
  trace_.table.losses.add(Loss::kDropped);
  EXPECT_TRUE(summarise_trace(trace_.table).devices.at(0).idle_is_upper_bound);
}

}  // namespace
}  // namespace aaco
