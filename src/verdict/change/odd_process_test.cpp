// SPDX-License-Identifier: MIT
#include "verdict/change/odd_process.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aaco {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(OddProcess, IsFarFromTheRest) {
  EXPECT_THAT(odd_values(std::vector<double>{1, 1.002, .998, 1.001, 3}), ElementsAre(4));
  EXPECT_THAT(odd_values(std::vector<double>{1, 0.4, .998, 1.001, 1.002}), ElementsAre(1));
  EXPECT_THAT(odd_values(std::vector<double>{1, 3, 1, 1.01, 3.1, 1, 1, 1}), testing::UnorderedElementsAre(1, 4));
  EXPECT_THAT(odd_values(std::vector<double>{1, 1.002, 3}), ElementsAre(2));
}

TEST(OddProcess, SpreadIsNotOdd) {
  EXPECT_THAT(odd_values(std::vector<double>{1, 1.01, 1.02, 1.03, 1.04}), IsEmpty());
  EXPECT_THAT(odd_values(std::vector<double>{1, 1.002, .998, 1.001, 1.04}), IsEmpty()) << "within 5 %";
  EXPECT_THAT(odd_values(std::vector<double>{1, 1, 1.2, 1.2, 1.2}), IsEmpty()) << "two of five are no exception";
  EXPECT_THAT(odd_values(std::vector<double>{1, 3}), IsEmpty());
  EXPECT_THAT(odd_values(std::vector<double>{1, 1, 1, 1}), IsEmpty());
}

// Of 25 differences 20 are ln 1.1 and 5 ln (1.1 / 3): the median is ln 1.1. With 5 and 5 values at most one inverted
// pair has a probability of 2 / 252 = 0.79 %: the interval goes from the second difference to the second last.
TEST(RankChange, OneOfFiveDoesNotMoveIt) {
  const std::vector<double> baseline{1, 1, 1, 1, 3};
  const std::vector<double> test(5, 1.1);
  const RankChange change = rank_change(baseline, test, 0.008);
  EXPECT_NEAR(change.d, std::log(1.1), 1e-12);
  ASSERT_TRUE(change.interval);
  EXPECT_NEAR(change.interval->low, std::log(1.1 / 3), 1e-12);
  EXPECT_NEAR(change.interval->high, std::log(1.1), 1e-12);
  EXPECT_FALSE(rank_change(baseline, test, 0.003).interval) << "1 / 252 is more";
}

// All 252 orders of 5 and 5 are alike likely: 1 has no inversion, 2 have one at most, 4 two at most.
TEST(RankChange, PIsExact) {
  const std::vector<double> low{1, 2, 3, 4, 5};
  EXPECT_NEAR(rank_p_above(low, std::vector<double>{6, 7, 8, 9, 10}, 1), 1.0 / 252, 1e-12);
  EXPECT_NEAR(rank_p_above(low, std::vector<double>{4.5, 7, 8, 9, 10}, 1), 2.0 / 252, 1e-12);
  EXPECT_NEAR(rank_p_above(low, std::vector<double>{3.5, 7, 8, 9, 10}, 1), 4.0 / 252, 1e-12);
  EXPECT_NEAR(rank_p_above(low, std::vector<double>{5, 7, 8, 9, 10}, 1), 2.0 / 252, 1e-12) << "a tie is an inversion";
  EXPECT_NEAR(rank_p_above(low, std::vector<double>{6, 7, 8, 9, 10}, 10), 1, 1e-12);
}

TEST(RankChange, HowManyValuesDecideInSpiteOfOddOnes) {
  // (0.5 - 0.2) n^2 over n sqrt((2n + 1) / 12) reaches 2.41 at n = 12.
  EXPECT_EQ(values_needed(0.2, 0.008), 12);
  EXPECT_FALSE(values_needed(0.5, 0.008));
}

}  // namespace
}  // namespace aaco
