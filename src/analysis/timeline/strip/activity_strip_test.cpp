// SPDX-License-Identifier: MIT
#include "analysis/timeline/strip/activity_strip.h"

#include <gtest/gtest.h>

#include "analysis/timeline/test_trace.h"

namespace aaco {
namespace {

// 10,000 ns in 1,000 parts of 11 ns, the least whole number that reaches the end.
TEST(ActivityStrips, HaveWhatTookMostOfEachPart) {
  TestTrace trace;
  const uint32_t stream = trace.stream(0, 1, 7);
  trace.add(stream, EventKind::kKernel, "gemm", 0, 5'000, 1);
  trace.add(stream, EventKind::kKernel, "gemm", 9'000, 1'000);
  const ActivityStrips strips = activity_strips(trace.table);
  ASSERT_EQ(strips.devices.size(), 1U);
  const std::vector<ActivitySpan>& spans = strips.devices[0].spans;
  ASSERT_EQ(spans.size(), 3U);
  EXPECT_EQ(spans[0].activity, Activity::kComputation);
  EXPECT_EQ(spans[0].start_ns, 0);
  EXPECT_EQ(spans[0].end_ns, 5'005);                      // part 454 ends there, and 6 of its 11 ns are the kernel's
  EXPECT_EQ(spans[1].activity, Activity::kNotExplained);  // no launch is recorded
  EXPECT_EQ(spans[1].end_ns, 8'998);                      // 2 ns of part 818 are idle, 9 the second kernel's
  EXPECT_EQ(spans[2].end_ns, 10'000);
}

TEST(ActivityStrips, AreBoundedHoweverManySlicesThereAre) {
  TestTrace trace;
  const uint32_t stream = trace.stream(0, 1, 7);
  for (int64_t i = 0; i < 20'000; ++i) {
    trace.add(stream, i % 2 == 0 ? EventKind::kKernel : EventKind::kCopy, "work", i * 100, 60);
  }
  for (int64_t device = 2; device < 60; ++device) {
    trace.add(trace.stream(0, device, 7), EventKind::kKernel, "work", 0, 60);
  }
  const ActivityStrips strips = activity_strips(trace.table);
  EXPECT_EQ(strips.devices.size(), ActivityStrips::kMostDevices);
  EXPECT_EQ(strips.devices_in_all, 59U);
  for (const ActivityStrip& strip : strips.devices) {
    EXPECT_LE(strip.spans.size(), ActivityStrips::kParts);
  }
}

TEST(ActivityStrips, OfNothingAreNone) { EXPECT_TRUE(activity_strips(EventTable()).devices.empty()); }

}  // namespace
}  // namespace aaco
