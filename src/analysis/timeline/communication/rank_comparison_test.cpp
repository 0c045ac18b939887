// SPDX-License-Identifier: MIT
#include "analysis/timeline/communication/rank_comparison.h"

#include <gtest/gtest.h>
#include <vector>

#include "analysis/timeline/test_trace.h"
#include "analysis/timeline/trace_summary.h"

namespace aaco {
namespace {

class Ranks : public testing::Test {
 protected:
  void add(int64_t rank, int64_t start_ns, int64_t end_ns, int64_t elements, const char* name = "allreduce") {
    const uint32_t stream = trace_.stream(rank, 0, 7);
    trace_.add(stream, EventKind::kKernel, "ncclK", start_ns, end_ns - start_ns, kNoId,
               {trace_.text("Collective name", name), trace_.text("dtype", "Float"),
                trace_.integer("In msg nelems", elements), trace_.integer("Out msg nelems", elements),
                trace_.integer("Group size", 2), trace_.text("Process Group Name", "0")});
  }
  std::vector<RankComparison> compared() { return summarise_trace(trace_.table).ranks; }

  TestTrace trace_;
};

TEST_F(Ranks, WhoBeginsLastAndHowLongTheOthersWait) {
  // rank 0  [0,100)     [200,300)  [400,450)
  // rank 1     [60,101)  [210,302)      [410,450)
  add(1, 60, 101, 1'000);
  add(0, 0, 100, 1'000);
  add(0, 200, 300, 1'000);
  add(1, 210, 302, 1'000);
  add(1, 400, 450, 500);
  add(0, 410, 450, 500);
  const auto all = compared();
  ASSERT_EQ(all.size(), 1);
  const RankComparison& rank = all[0];
  EXPECT_EQ(rank.compared, 3);
  EXPECT_EQ(rank.median_skew_ns, 10);
  EXPECT_EQ(rank.max_skew_ns, 60);
  EXPECT_EQ(rank.median_end_spread_ns, 1);
  ASSERT_EQ(rank.ranks.size(), 2);
  EXPECT_EQ(rank.ranks[rank.latest].rank, 1);
  EXPECT_EQ(rank.ranks[0].last, 1);
  EXPECT_EQ(rank.ranks[1].last, 2);
  EXPECT_EQ(rank.ranks[0].waited_ns, 70);
  EXPECT_EQ(rank.ranks[1].waited_ns, 10);
  EXPECT_EQ(rank.ranks[0].median_ns, 100);
  EXPECT_DOUBLE_EQ(*rank.algorithm_bandwidth, 10'000.0 / (41 + 92 + 40));
  EXPECT_DOUBLE_EQ(*rank.bus_bandwidth, *rank.algorithm_bandwidth);  // 2 (n - 1) / n of two ranks is 1
}

// The root of a broadcast need not wait.
TEST_F(Ranks, WhatHadEndedDidNotWait) {
  add(0, 0, 5, 10, "broadcast");
  add(1, 100, 110, 10, "broadcast");
  add(0, 200, 205, 20, "broadcast");
  add(1, 200, 205, 20, "broadcast");
  EXPECT_EQ(compared().at(0).ranks[0].waited_ns, 5);
}

// Which of rank 0's two is rank 1's?
TEST_F(Ranks, DifferentNumbersOfOneSizeAreNotCompared) {
  add(0, 0, 100, 10);
  add(0, 200, 300, 10);
  add(1, 0, 100, 10);
  const auto all = compared();
  ASSERT_EQ(all.size(), 1);
  EXPECT_EQ(all[0].compared, 0);
  EXPECT_EQ(all[0].basis, MatchBasis::kUndetermined);
  EXPECT_FALSE(all[0].bus_bandwidth);
  EXPECT_EQ(all[0].ranks[0].kernels, 2);
}

// Clocks of a nanosecond's resolution on a busy host are not what makes a rank late.
TEST_F(Ranks, WhoBeginsWithAnotherIsNotLast) {
  for (int64_t i = 0; i < 20; ++i) {
    add(0, 100 * i, 100 * i + 50, i);
    add(1, 100 * i, 100 * i + 50, i);
  }
  const auto all = compared();
  ASSERT_EQ(all.size(), 1);
  EXPECT_EQ(all[0].compared, 20);
  EXPECT_EQ(all[0].ranks[0].last + all[0].ranks[1].last, 0);
  EXPECT_EQ(all[0].late, LateVerdict::kChance);
}

TEST_F(Ranks, OneRankAloneIsNoComparison) {
  add(0, 0, 100, 10);
  EXPECT_TRUE(compared().empty());
}

}  // namespace
}  // namespace aaco
