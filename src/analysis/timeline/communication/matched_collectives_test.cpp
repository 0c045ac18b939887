// SPDX-License-Identifier: MIT
// Recordings of ranks that do not begin at the same collective. Our own inputs, after pytorch/kineto#1294.
#include "analysis/timeline/communication/matched_collectives.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "analysis/timeline/test_trace.h"
#include "analysis/timeline/trace_summary.h"

namespace aaco {
namespace {

constexpr int64_t kUs = 1'000;
constexpr int64_t kStep = 10'000 * kUs;

class RankRecordings : public testing::Test {
 protected:
  struct One {
    int64_t number = 0;  // of all in the job: it begins then, a step each
    int64_t elements = 4096;
    const char* group = "dp";
    const char* ranks = "[0, 1]";
    bool has_number = true;
    int64_t length_ns = 1'000 * kUs;
  };
  // Rank r begins 200 us behind rank r - 1; all end together.
  void add(int64_t rank, const One& collective) {
    const int64_t late_ns = 200 * kUs * rank;
    std::vector<Argument> arguments = {trace_.text("Collective name", "allreduce"),
                                       trace_.text("dtype", "Float"),
                                       trace_.integer("In msg nelems", collective.elements),
                                       trace_.integer("Out msg nelems", collective.elements),
                                       trace_.integer("Group size", group_size_),
                                       trace_.text("Process Group Name", collective.group),
                                       trace_.text("Process Group Ranks", collective.ranks)};
    if (collective.has_number) {
      arguments.push_back(trace_.integer("Seq", collective.number));
    }
    trace_.add(trace_.stream(rank, 0, 20), EventKind::kKernel, "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
               collective.number * kStep + late_ns + clock_ns_ * rank, collective.length_ns - late_ns, kNoId,
               arguments);
  }
  TraceSummary summary() const { return summarise_trace(trace_.table); }

  TestTrace trace_;
  int64_t group_size_ = 2;
  int64_t clock_ns_ = 0;  // rank r's clock is ahead r times that
};

// Rank 0 has 1 to 5, rank 1 has 2 to 6.
TEST_F(RankRecordings, NumbersTellWhichAreTheSame) {
  for (int64_t i = 1; i <= 5; ++i) {
    add(0, {.number = i});
    add(1, {.number = i + 1});
  }
  const TraceSummary all = summary();
  ASSERT_EQ(all.ranks.size(), 1);
  const RankComparison& rank = all.ranks[0];
  EXPECT_EQ(rank.basis, MatchBasis::kSequence);
  EXPECT_EQ(rank.compared, 4);
  EXPECT_EQ(rank.median_skew_ns, 200 * kUs);
  EXPECT_EQ(rank.max_skew_ns, 200 * kUs);
  EXPECT_EQ(rank.ranks[0].waited_ns, 800 * kUs);
  EXPECT_EQ(rank.ranks[0].kernels, 5);
  EXPECT_EQ(rank.ranks[1].last, 4);
  EXPECT_EQ(rank.late, LateVerdict::kUndetermined);
  EXPECT_EQ(all.clocks.at(1).state, ClockState::kAgrees);
  EXPECT_EQ(all.clocks.at(1).offset_ns, 0);
  EXPECT_EQ(all.clocks.at(1).collectives, 4);
}

TEST_F(RankRecordings, WithoutNumbersSizesTell) {
  clock_ns_ = 3 * kStep;
  for (int64_t i = 1; i <= 5; ++i) {
    add(0, {.number = i, .elements = 100 * i, .has_number = false});
    add(1, {.number = i + 1, .elements = 100 * (i + 1), .has_number = false});
  }
  const TraceSummary all = summary();
  EXPECT_EQ(all.ranks.at(0).basis, MatchBasis::kOrder);
  EXPECT_EQ(all.ranks.at(0).compared, 4);
  EXPECT_EQ(all.ranks.at(0).median_skew_ns, 200 * kUs);
  EXPECT_EQ(all.clocks.at(1).state, ClockState::kShifted);
  EXPECT_EQ(all.clocks.at(1).offset_ns, -3 * kStep);
}

// A wrong shift would move the clock by a step and name a straggler.
TEST_F(RankRecordings, WithoutNumbersEqualSizesLeaveItOpen) {
  for (int64_t i = 1; i <= 40; ++i) {
    add(0, {.number = i, .has_number = false});
    add(1, {.number = i + 1, .has_number = false});
  }
  const TraceSummary all = summary();
  EXPECT_EQ(all.ranks.at(0).basis, MatchBasis::kUndetermined);
  EXPECT_EQ(all.ranks.at(0).compared, 0);
  EXPECT_EQ(all.clocks.at(1).state, ClockState::kUndetermined);
  EXPECT_EQ(all.clocks.at(1).offset_ns, 0);
  EXPECT_FALSE(all.clocks.at(1).bounded());
  for (const TraceFinding& finding : all.findings) {
    EXPECT_NE(finding.pattern, "late-rank");
  }
}

TEST_F(RankRecordings, OneThatARankLacksIsComparedOnNone) {
  for (int64_t i = 1; i <= 6; ++i) {
    add(0, {.number = i});
    if (i != 3) {
      add(1, {.number = i});
    }
  }
  const TraceSummary all = summary();
  EXPECT_EQ(all.ranks.at(0).compared, 5);
  EXPECT_EQ(all.ranks.at(0).max_skew_ns, 200 * kUs);
  EXPECT_EQ(all.clocks.at(1).state, ClockState::kAgrees);
}

TEST_F(RankRecordings, EachGroupHasItsOwnNumbers) {
  for (int64_t i = 1; i <= 4; ++i) {
    add(0, {.number = i});
    add(1, {.number = i});
    add(1, {.number = i, .group = "tp", .length_ns = 5'000 * kUs});  // rank 0's begins two collectives later
    add(0, {.number = i + 2, .group = "tp", .length_ns = 5'000 * kUs});
  }
  const TraceSummary all = summary();
  ASSERT_EQ(all.ranks.size(), 2);
  EXPECT_EQ(all.ranks[0].compared, 4);
  EXPECT_EQ(all.ranks[1].compared, 2);
  EXPECT_EQ(all.ranks[1].max_skew_ns, 200 * kUs);
  EXPECT_EQ(all.clocks.at(1).state, ClockState::kAgrees);
}

// 1 to 6, 3 to 8, 5 to 10: all three hold 5 and 6.
TEST_F(RankRecordings, ThreeRanksThatBeginApart) {
  group_size_ = 3;
  for (int64_t i = 1; i <= 6; ++i) {
    for (int64_t rank = 0; rank < 3; ++rank) {
      add(rank, {.number = i + 2 * rank, .ranks = "[0, 1, 2]"});
    }
  }
  const TraceSummary all = summary();
  EXPECT_EQ(all.ranks.at(0).compared, 2);
  EXPECT_EQ(all.ranks.at(0).max_skew_ns, 400 * kUs);
  EXPECT_EQ(all.clocks.at(1).collectives, 4);
  EXPECT_EQ(all.clocks.at(2).collectives, 2);
  EXPECT_EQ(all.clocks.at(2).state, ClockState::kAgrees);
}

// 1 to 4, 4 to 7, 7 to 10: the third is reached by way of the second.
TEST_F(RankRecordings, RecordingsThatFollowOneAnother) {
  group_size_ = 3;
  clock_ns_ = 2 * kStep;
  for (int64_t i = 1; i <= 4; ++i) {
    for (int64_t rank = 0; rank < 3; ++rank) {
      add(rank, {.number = i + 3 * rank, .ranks = "[0, 1, 2]"});
    }
  }
  const TraceSummary all = summary();
  EXPECT_EQ(all.ranks.at(0).basis, MatchBasis::kSequence);
  EXPECT_EQ(all.ranks.at(0).compared, 0);
  EXPECT_EQ(all.clocks.at(1).offset_ns, -2 * kStep);
  EXPECT_EQ(all.clocks.at(2).offset_ns, -4 * kStep);
}

// A number that all bear is none.
TEST_F(RankRecordings, AConstantIsNoNumber) {
  for (int64_t i = 1; i <= 5; ++i) {
    for (int64_t rank = 0; rank < 2; ++rank) {
      trace_.add(
          trace_.stream(rank, 0, 20), EventKind::kKernel, "ncclK", (i + rank) * kStep, kUs, kNoId,
          {trace_.text("Collective name", "allreduce"), trace_.integer("Group size", 2), trace_.integer("Seq", 0)});
    }
  }
  EXPECT_EQ(summary().ranks.at(0).basis, MatchBasis::kUndetermined);
}

// A process group that was made anew counts from the beginning again.
TEST_F(RankRecordings, NumbersThatContradictTheSizesTellNothing) {
  for (int64_t i = 1; i <= 5; ++i) {
    add(0, {.number = i, .elements = 100 * i});
    add(1, {.number = i, .elements = 700 * i});
  }
  EXPECT_EQ(summary().ranks.at(0).basis, MatchBasis::kNone);
  EXPECT_EQ(summary().clocks.at(1).state, ClockState::kUndetermined);
}

}  // namespace
}  // namespace aaco
