// SPDX-License-Identifier: MIT
#include "kind/sharded/analysis/comparable_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aaco {
namespace {

using testing::HasSubstr;

std::vector<RecordedTurn> turns_at(double as_is_mhz, double one_by_one_mhz) {
  return {{0, true, 1980, 400},
          {0, false, 1980, 300},
          {1, true, as_is_mhz, 690},
          {1, false, one_by_one_mhz, 500},
          {1, false, one_by_one_mhz, 500},
          {1, true, as_is_mhz, 690}};
}

TEST(ComparableSteps, ClocksDifferByMoreThanAFiftieth) {
  EXPECT_EQ(differing_clocks({}), "");
  EXPECT_EQ(differing_clocks(turns_at(1980, 1980)), "");
  EXPECT_EQ(differing_clocks(turns_at(1945, 1980)), "");  // 1.8 %
  EXPECT_EQ(differing_clocks(turns_at(1755, 1980)),
            "the clocks differed: 1755 MHz as it is, 1980 MHz one by one on rank 1");
  const std::vector<RecordedTurn> not_told{{0, true, std::nullopt, 1}, {0, false, 1980, 1}};
  EXPECT_EQ(differing_clocks(not_told), "");
}

// Of a growth of 120, 100 are of kernels beside communication: the other 20 are a sixth of it; of 130, 30 are 0.23.
TEST(ComparableSteps, GrowthAndTaxAgreeWithinAFifth) {
  EXPECT_EQ(why_no_tax({120, 100}, {}), "");
  EXPECT_EQ(why_no_tax({100, 120}, {}), "");
  EXPECT_EQ(why_no_tax({0, 0}, {}), "");
  EXPECT_THAT(why_no_tax({130, 100}, {}),
              HasSubstr("kernels that ran beside no communication took 30.00 ns more than one by one"));
  EXPECT_THAT(why_no_tax({70, 100}, {}),
              HasSubstr("kernels that ran beside no communication took 30.00 ns less than one by one"));
  EXPECT_EQ(why_no_tax({130, 100}, turns_at(1755, 1980)).substr(0, 19), "the clocks differed");
  EXPECT_THAT(why_no_tax({-105, -100}, {}), HasSubstr("took 100.0 ns less than one by one"));
}

// Serial 300, ideal 200: a drift of 10 moves the share by a tenth.
TEST(ComparableSteps, AShareIsOfWhatCouldBeSaved) {
  OverlapSpeedup speedup{300, 200, 230, {}, {}, {}, ""};
  EXPECT_EQ(why_no_share(speedup, 0.7, 0, {50, 45}, {}), "");
  EXPECT_EQ(why_no_share(speedup, 0, 0, {}, {}), "");
  EXPECT_EQ(why_no_share(speedup, 1, 0, {}, {}), "");
  EXPECT_THAT(why_no_share(speedup, 0.7, 0, {40, 20}, {}), HasSubstr("beside no communication took 20.00 ns more"));
  EXPECT_EQ(why_no_share(speedup, 0.7, 0, {40, 20}, turns_at(1755, 1980)).substr(0, 19), "the clocks differed");
  EXPECT_EQ(why_no_share(speedup, 0.7, 0, {18, 10}, {}), "") << "of a small tax, and a drift of 8";
  speedup.overlapped_ns = 340;
  EXPECT_EQ(why_no_share(speedup, -0.4, 60, {}, {}),
            "a step takes 340.0 ns, longer than its parts one after the other, 300.0 ns; the device is idle for 60.00 "
            "ns of it");
  speedup.overlapped_ns = 190;
  EXPECT_EQ(why_no_share(speedup, 1.1, 0, {}, {}),
            "a step takes 190.0 ns, less than the longest of its parts alone, 200.0 ns");
}

// Of all steps together the share is 0.7.
TEST(ComparableSteps, AMeanOverTurnsMayLieBeyondAnEndAlone) {
  const OverlapSpeedup speedup{300, 200, 230, {}, {}, {}, ""};
  EXPECT_EQ(why_no_share(speedup, -0.1, 0, {}, {}),
            "over turns a step takes longer than its parts one after the other on average: a share of -10.0 %");
  EXPECT_EQ(why_no_share(speedup, 1.05, 0, {}, {}),
            "over turns a step takes less than the longest of them alone on average: a share of 105.0 %");
}

}  // namespace
}  // namespace aaco
