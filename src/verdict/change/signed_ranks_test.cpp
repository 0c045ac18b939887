// SPDX-License-Identifier: MIT
#include "verdict/change/signed_ranks.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include "verdict/compare.h"
#include "verdict/test_samples.h"

namespace aaco {
namespace {

// Of five differences all 32 signs are alike likely: the ranks of the positive ones are 0 in one of them, at most 1 in
// two, at most 2 in three, at most 3 in five (3, and 1 + 2).
TEST(SignedRanks, PIsExact) {
  EXPECT_NEAR(signed_rank_p_above(std::vector<double>{1, 2, 3, 4, 5}, 0), 1.0 / 32, 1e-12);
  EXPECT_NEAR(signed_rank_p_above(std::vector<double>{-1, 2, 3, 4, 5}, 0), 2.0 / 32, 1e-12);
  EXPECT_NEAR(signed_rank_p_above(std::vector<double>{1, -2, 3, 4, 5}, 0), 3.0 / 32, 1e-12);
  EXPECT_NEAR(signed_rank_p_above(std::vector<double>{1, 2, -3, 4, 5}, 0), 5.0 / 32, 1e-12);
  EXPECT_NEAR(signed_rank_p_above(std::vector<double>{-1, -2, -3, -4, -5}, 0), 1, 1e-12);
  EXPECT_NEAR(signed_rank_p_above(std::vector<double>{1, 2, 3, 4, 5}, 0.999), 1.0 / 32, 1e-12);
  EXPECT_GT(signed_rank_p_above(std::vector<double>{1, 2, 3, 4, 5}, 1), 1.0 / 32)
      << "what equals the shift is not above";
}

// The means of two of 1, 2, 3, 4 and 10 are 1 1.5 2 2 2.5 2.5 3 3 3.5 4 5.5 6 6.5 7 10: the eighth is 3. One of 32 is
// 3.1 %: at 4 % the interval reaches from the least mean to the greatest. At most 1 is 6.3 %: at 7 % to the next.
TEST(SignedRanks, EstimateAndIntervalAreOrderStatisticsOfMeans) {
  const std::vector<double> differences{1, 2, 3, 4, 10};
  const RankChange change = signed_rank_change(differences, 0.04);
  EXPECT_DOUBLE_EQ(change.d, 3);
  ASSERT_TRUE(change.interval);
  EXPECT_EQ(*change.interval, (Interval{1, 10}));
  EXPECT_EQ(*signed_rank_change(differences, 0.07).interval, (Interval{1.5, 7}));
  EXPECT_FALSE(signed_rank_change(differences, 0.03).interval);
  EXPECT_EQ(fewest_ranked_pairs(0.04), 5);
  EXPECT_EQ(fewest_ranked_pairs(0.03), 6);
}

// Where the normal distribution stands in it is on the safe side: its interval holds the exact one's.
TEST(SignedRanks, ManyPairsAreJudgedNoMoreSurely) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<double> differences;
  for (int i = 0; i < 101; ++i) {
    differences.push_back(0.2 + normal(random));
  }
  const double of_many = signed_rank_p_above(differences, 0);
  const double of_hundred = signed_rank_p_above(std::span(differences).first(100), 0);
  EXPECT_NEAR(std::log(of_many), std::log(of_hundred), 0.5);
  const std::vector<double> all_above(101, 1.0);
  EXPECT_GT(signed_rank_p_above(all_above, 0), std::exp2(-101));
}

TEST(SignedRanks, FarPairsAreTold) {
  EXPECT_FALSE(has_far_pairs(std::vector<double>{-0.02, -0.01, 0, 0.01, 0.02, 0.015, -0.015, 0.005}));
  EXPECT_TRUE(has_far_pairs(std::vector<double>{-0.02, -0.01, 0, 0.01, 0.02, 0.015, -0.7, 0.005}));
  EXPECT_TRUE(has_far_pairs(std::vector<double>{0, 0, 0, 0, 0, 0.7})) << "more than half alike";
  EXPECT_FALSE(has_far_pairs(std::vector<double>{0.1}));
}

// A machine that runs at one of two speeds: of a fifth of the pairs the sides ran at different ones.
RunSample side_of(std::mt19937_64& random, size_t processes, double ratio, std::vector<double> jumps) {
  std::normal_distribution<double> noise(0, 0.01);
  std::vector<double> medians;
  for (size_t i = 0; i < processes; ++i) {
    medians.push_back(1e6 * ratio * std::exp(noise(random)) * jumps[i]);
  }
  RunSample sample = test::sample_of(std::move(medians));
  sample.interleave_group = "pairs";
  return sample;
}

std::vector<double> jumps_of(std::mt19937_64& random, size_t processes, double share) {
  std::vector<double> jumps;
  for (size_t i = 0; i < processes; ++i) {
    jumps.push_back(std::bernoulli_distribution(share)(random) ? 2.0 : 1.0);
  }
  return jumps;
}

Comparison compare_on_two_speeds(std::mt19937_64& random, size_t pairs, double ratio) {
  CompareOptions options;
  options.min_effect = 0.01;
  const RunSample baseline = side_of(random, pairs, 1, jumps_of(random, pairs, 0.1));
  return compare(baseline, side_of(random, pairs, ratio, jumps_of(random, pairs, 0.1)), options);
}

TEST(SignedRanks, AMachineOfTwoSpeedsHidesNoSlowdown) {
  std::mt19937_64 random(2);
  int regressed = 0;
  for (int i = 0; i < 200; ++i) {
    regressed += compare_on_two_speeds(random, 60, 1.03).verdict == Verdict::kRegressed ? 1 : 0;
  }
  EXPECT_GE(regressed, 190);
}

// At the least change that counts each direction may be wrong in 1 %: of 600 more than 14 has a chance of 0.2 %.
TEST(SignedRanks, AMachineOfTwoSpeedsMakesNoFalseAlarms) {
  std::mt19937_64 random(3);
  for (const auto& [ratio, verdict] : {std::pair{1.01, Verdict::kRegressed}, std::pair{0.99, Verdict::kImproved}}) {
    for (const size_t pairs : {10, 40}) {
      int alarms = 0;
      for (int i = 0; i < 600; ++i) {
        alarms += compare_on_two_speeds(random, pairs, ratio).verdict == verdict ? 1 : 0;
      }
      EXPECT_LE(alarms, 14) << ratio << " " << pairs;
    }
  }
}

// Every fifth test process takes twice as long. The middle of the pairs does not show it: ranks alone would say
// "equivalent".
TEST(SignedRanks, AFewMuchSlowerProcessesAreNotEquivalent) {
  std::mt19937_64 random(4);
  CompareOptions options;
  options.min_effect = 0.03;
  int regressed = 0;
  for (int i = 0; i < 100; ++i) {
    const RunSample baseline = side_of(random, 80, 1, std::vector<double>(80, 1.0));
    const Verdict verdict = compare(baseline, side_of(random, 80, 1, jumps_of(random, 80, 0.2)), options).verdict;
    EXPECT_NE(verdict, Verdict::kEquivalent);
    regressed += verdict == Verdict::kRegressed ? 1 : 0;
  }
  EXPECT_GE(regressed, 75);
}

}  // namespace
}  // namespace aaco
