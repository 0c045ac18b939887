// SPDX-License-Identifier: MIT
#include "report/activity/stream_chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/timeline/test_trace.h"

namespace aaco::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(StreamChart, HasARowForEachStreamAndAColourForEachClass) {
  TestTrace trace;
  const uint32_t first = trace.stream(0, 1, 7);
  const uint32_t second = trace.stream(0, 1, 9);
  trace.add(second, EventKind::kCopy, "Memcpy HtoD", 1'500, 500);
  trace.add(first, EventKind::kKernel, "gemm", 1'000, 600);
  const plot::Chart chart = stream_chart(trace.table, "Streams");
  ASSERT_EQ(chart.y.categories.size(), 2U);
  EXPECT_THAT(chart.y.categories[0], HasSubstr("stream 7"));
  EXPECT_THAT(chart.y.categories[1], HasSubstr("stream 9"));
  ASSERT_EQ(chart.series.size(), 2U);
  EXPECT_EQ(chart.series[0].name, "computation");
  EXPECT_THAT(chart.series[0].start, ElementsAre(0));  // since the first start, at 1,000
  EXPECT_THAT(chart.series[0].x, ElementsAre(600));
  EXPECT_EQ(chart.series[1].name, "copy");
  EXPECT_THAT(chart.series[1].start, ElementsAre(500));
  EXPECT_THAT(chart.series[1].y, ElementsAre(1));
}

// 2,000 records of 100 ns: the middle 1,500 begin with number 250.
TEST(StreamChart, ShowsTheMiddleOfWhatIsLong) {
  TestTrace trace;
  const uint32_t stream = trace.stream(0, 1, 7);
  for (int64_t i = 0; i < 2'000; ++i) {
    trace.add(stream, EventKind::kKernel, "k", i * 100, i == 250 ? 40 : 60);
  }
  const plot::Chart chart = stream_chart(trace.table, "Streams");
  ASSERT_EQ(chart.series.size(), 1U);
  EXPECT_EQ(chart.series[0].x.size(), 1'500U);
  EXPECT_EQ(chart.series[0].x.front(), 40);
  EXPECT_THAT(chart.caption, HasSubstr("The middle 1,500 of 2,000 records."));
}

TEST(StreamChart, SaysThatNothingWasRecorded) { EXPECT_FALSE(plot::has_data(stream_chart(EventTable(), "Streams"))); }

}  // namespace
}  // namespace aaco::report
