// SPDX-License-Identifier: MIT
#include "analysis/timeline/communication/clock_alignment.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "analysis/timeline/test_trace.h"
#include "analysis/timeline/trace_summary.h"

namespace aaco {
namespace {

class Clocks : public testing::Test {
 protected:
  void add(int64_t rank, int64_t start_ns, int64_t end_ns, const char* name = "allreduce", const char* group = "0") {
    const uint32_t stream = trace_.stream(rank, 0, 7);
    trace_.add(stream, EventKind::kKernel, "ncclK", start_ns, end_ns - start_ns, kNoId,
               {trace_.text("Collective name", name), trace_.integer("Group size", 2),
                trace_.text("Process Group Name", group), trace_.integer("Seq", next_[{rank, group}]++)});
  }
  std::vector<RankClock> clocks() { return summarise_trace(trace_.table).clocks; }

  TestTrace trace_;
  std::map<std::pair<int64_t, std::string>, int64_t> next_;  // number, by rank and group
};

TEST_F(Clocks, ThatMayAgreeAreLeftAlone) {
  add(0, 0, 100);
  add(1, 60, 101);
  const auto all = clocks();
  ASSERT_EQ(all.size(), 2);
  EXPECT_EQ(all[0].state, ClockState::kReference);
  EXPECT_EQ(all[1].state, ClockState::kAgrees);
  EXPECT_EQ(all[1].offset_ns, 0);
  EXPECT_EQ(all[1].error_ns, 101);  // the offset lies between 0 - 101 and 100 - 60
  EXPECT_EQ(all[1].collectives, 1);
}

TEST_F(Clocks, ThatCannotAgreeAreMoved) {
  add(0, 0, 100);
  add(0, 1'000, 1'050);
  add(1, 5'060, 5'101);
  add(1, 6'010, 6'050);
  const auto all = clocks();
  EXPECT_EQ(all[1].state, ClockState::kShifted);
  EXPECT_EQ(all[1].offset_ns, -5'000);
  // The second: from 1'000 - 6'050 to 1'050 - 6'010; the first: from -5'101 to -4'960.
  EXPECT_EQ(all[1].error_ns, 50);
  EXPECT_EQ(summarise_trace(trace_.table).ranks.at(0).max_skew_ns, 60);
}

TEST_F(Clocks, ThatDriftFitNoOffset) {
  add(0, 0, 100);
  add(0, 1'000, 1'100);
  add(1, 0, 100);
  add(1, 2'000, 2'100);
  EXPECT_EQ(clocks()[1].state, ClockState::kInconsistent);
  EXPECT_EQ(clocks()[1].offset_ns, 0);
}

TEST_F(Clocks, ABroadcastTellsNothing) {
  add(0, 0, 5, "broadcast");
  add(1, 100, 110, "broadcast");
  EXPECT_EQ(clocks()[1].state, ClockState::kUnknown);
}

TEST_F(Clocks, ErrorsAddUpAlongTheWay) {
  add(0, 0, 100, "allreduce", "a");
  add(1, 1'000, 1'100, "allreduce", "a");
  add(1, 5'000, 5'010, "allreduce", "b");
  add(2, 0, 10, "allreduce", "b");
  const auto all = clocks();
  EXPECT_EQ(all[1].offset_ns, -1'000);
  EXPECT_EQ(all[1].error_ns, 100);
  EXPECT_EQ(all[2].offset_ns, 4'000);
  EXPECT_EQ(all[2].error_ns, 110);
}

// Whatever the ranks do, the true offset is never farther away than is said.
TEST_F(Clocks, TheErrorHolds) {
  std::mt19937 random(1);
  const auto draw = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  for (int round = 0; round < 200; ++round) {
    trace_ = TestTrace();
    next_.clear();
    const int64_t shift_ns = draw(-100'000, 100'000);  // of rank 1's clock
    const int64_t collectives = draw(1, 5);
    for (int64_t i = 0; i < collectives; ++i) {
      const int64_t begin_0 = i * 10'000 + draw(0, 3'000);
      const int64_t begin_1 = i * 10'000 + draw(0, 3'000);
      const int64_t all_began = std::max(begin_0, begin_1);
      add(0, begin_0, all_began + draw(0, 500));
      add(1, begin_1 + shift_ns, all_began + draw(0, 500) + shift_ns);
    }
    const RankClock clock = clocks().at(1);
    ASSERT_TRUE(clock.bounded());
    EXPECT_LE(std::abs(clock.offset_ns + shift_ns), clock.error_ns);
    if (clock.state == ClockState::kAgrees) {
      EXPECT_EQ(clock.offset_ns, 0);
    }
  }
}

}  // namespace
}  // namespace aaco
