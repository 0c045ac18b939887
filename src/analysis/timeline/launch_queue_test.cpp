// SPDX-License-Identifier: MIT
#include "analysis/timeline/launch_queue.h"

#include <gtest/gtest.h>
#include <vector>

#include "trace/event_table.h"

namespace aaco {
namespace {

DeviceSlice slice(int64_t start_ns, int64_t end_ns) { return {{start_ns, end_ns}, WorkClass::kComputation, 0}; }

TEST(LaunchQueue, DelaysAndDepth) {
  // submitted 0    5                    90 (after it has begun)
  // runs         [10,20)  [20,40)           [80,100)
  const std::vector<DeviceSlice> slices{slice(10, 20), slice(20, 40), slice(80, 100), slice(50, 60)};
  const std::vector<int64_t> submitted_ns{0, 5, 90, kNoId};
  const LaunchQueue queue = launch_queue(slices, submitted_ns, {10, 100});
  EXPECT_EQ(queue.launches, 3);
  EXPECT_EQ(queue.negative, 1);
  EXPECT_EQ(queue.median_delay_ns, 10);
  EXPECT_EQ(queue.p99_delay_ns, 15);
  EXPECT_EQ(queue.max_delay_ns, 15);
  EXPECT_EQ(queue.max_depth, 2);
  EXPECT_EQ(queue.max_depth_at_ns, 5);
  EXPECT_EQ(queue.empty_ns, 40);
  ASSERT_EQ(queue.timeline.size(), 91);  // parts of 1 ns
  EXPECT_EQ(queue.timeline[0].start_ns, 10);
  EXPECT_EQ(queue.timeline[0].most, 2);
  EXPECT_EQ(queue.timeline[29].most, 1);
  EXPECT_EQ(queue.timeline[50].most, 0);
  EXPECT_EQ(queue.timeline[75].most, 1);
  EXPECT_DOUBLE_EQ(queue.mean_depth, (2 * 10 + 1 * 20 + 1 * 20) / 90.0);
}

TEST(LaunchQueue, TheHundredthOfAHundredIsBeyondP99) {
  std::vector<DeviceSlice> slices;
  for (int64_t i = 1; i <= 100; ++i) {
    slices.push_back(slice(i, i + 1));
  }
  EXPECT_EQ(launch_queue(slices, std::vector<int64_t>(100, 0), {1, 101}).p99_delay_ns, 99);
  EXPECT_EQ(launch_queue(slices, std::vector<int64_t>(100, 0), {1, 101}).median_delay_ns, 50);
}

TEST(LaunchQueue, WithoutLaunchesNothing) {
  const std::vector<DeviceSlice> slices{slice(10, 20)};
  const LaunchQueue queue = launch_queue(slices, std::vector<int64_t>{kNoId}, {10, 20});
  EXPECT_EQ(queue.launches, 0);
  EXPECT_EQ(queue.max_depth, 0);
}

}  // namespace
}  // namespace aaco
