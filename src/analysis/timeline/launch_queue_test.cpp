// SPDX-License-Identifier: MIT
#include "analysis/timeline/launch_queue.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "analysis/timeline/test_trace.h"
#include "record/events/event_table.h"

namespace aaco {
namespace {

// A device's slices, each with the end of its launching call; kNoId where that is not recorded.
class LaunchedSlices {
 public:
  void add(const Span& span, int64_t submitted_ns) {
    ++correlation_;
    trace_.add(stream_, EventKind::kKernel, "k", span.start_ns, span.end_ns - span.start_ns, correlation_);
    if (submitted_ns != kNoId) {
      const int64_t call_ns = std::min(submitted_ns - 3, span.start_ns);
      trace_.add(thread_, EventKind::kHostCall, "launch", call_ns, submitted_ns - call_ns, correlation_);
    }
  }
  LaunchQueue queue(const Span& window) const {
    const LaunchIndex launches(trace_.table);
    return launch_queue(trace_.table, device_work(trace_.table, launches).at(0).slices, window);
  }

 private:
  TestTrace trace_;
  uint32_t thread_ = trace_.thread();
  uint32_t stream_ = trace_.stream(kNoId, 0, 7);
  int64_t correlation_ = 0;
};

TEST(LaunchQueue, DelaysAndDepth) {
  // submitted 0    5                    90 (after it has begun)
  // runs         [10,20)  [20,40)           [80,100)
  LaunchedSlices slices;
  slices.add({10, 20}, 0);
  slices.add({20, 40}, 5);
  slices.add({80, 100}, 90);
  slices.add({50, 60}, kNoId);
  const LaunchQueue queue = slices.queue({10, 100});
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
  LaunchedSlices slices;
  for (int64_t i = 1; i <= 100; ++i) {
    slices.add({i, i + 1}, 0);
  }
  EXPECT_EQ(slices.queue({1, 101}).p99_delay_ns, 99);
  EXPECT_EQ(slices.queue({1, 101}).median_delay_ns, 50);
}

TEST(LaunchQueue, WithoutLaunchesNothing) {
  LaunchedSlices slices;
  slices.add({10, 20}, kNoId);
  const LaunchQueue queue = slices.queue({10, 20});
  EXPECT_EQ(queue.launches, 0);
  EXPECT_EQ(queue.max_depth, 0);
}

}  // namespace
}  // namespace aaco
