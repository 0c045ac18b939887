// SPDX-License-Identifier: MIT
#include "experiment/overlap/rank_records.h"

#include <gtest/gtest.h>

namespace aaco {
namespace {

TEST(RankRecords, PathsAreThoseOfTheOverlappedSteps) {
  ActivitySink sink;
  RankRecords records;
  records.steps = 1;
  records.collectives.emplace_back().name = "all_gather";
  ActivityRecord gather;
  for (const char* kernel : {"ncclSymkDevKernel_AllGather_ST(ncclSymkDevArgs)", "ncclDevKernel_AllGather_RING_LL()"}) {
    gather.name = sink.intern(kernel);
    const auto rows = rows_of({gather}, sink, ProgramTarget(), records);
    ASSERT_TRUE(rows) << rows.error().message;
    ASSERT_EQ(rows->size(), 1U);
    EXPECT_EQ(rows->front().collective, 0);
    ASSERT_EQ(records.paths.size(), 1U);
    EXPECT_EQ(records.paths.front().path, "symmetric");
  }
}

}  // namespace
}  // namespace aaco
