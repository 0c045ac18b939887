// SPDX-License-Identifier: MIT
#include "analysis/timeline/communication/late_verdict.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace aaco {
namespace {

TEST(LateVerdict, TooFewToTell) {
  // 2 ranks: one of them is last in all of n with 2 / 2^n, which is 0.0078 of 8 and 0.0039 of 9.
  EXPECT_EQ(judge_latest(8, 8, 2, 1), LateVerdict::kUndetermined);
  EXPECT_EQ(judge_latest(9, 9, 2, 1), LateVerdict::kLate);
  EXPECT_EQ(judge_latest(9, 9, 2, 2), LateVerdict::kUndetermined);  // in either of two kinds
  // 8 ranks: 1 / 8^(n-1), which is 0.0156 of 3 and 0.00195 of 4.
  EXPECT_EQ(judge_latest(3, 3, 8, 1), LateVerdict::kUndetermined);
  EXPECT_EQ(judge_latest(4, 4, 8, 1), LateVerdict::kLate);
  EXPECT_EQ(judge_latest(0, 0, 8, 1), LateVerdict::kUndetermined);
  EXPECT_EQ(judge_latest(5, 5, 1, 1), LateVerdict::kUndetermined);
}

TEST(LateVerdict, WhatChanceExplains) {
  EXPECT_EQ(judge_latest(9, 10, 2, 1), LateVerdict::kChance);  // 2 * 11 / 1024 = 0.021
  EXPECT_EQ(judge_latest(3, 5, 8, 1), LateVerdict::kChance);   // 8 * 0.0161
}

TEST(LateVerdict, EqualRanksAreNotCalledLate) {
  std::mt19937 random(37);
  const auto draw = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  constexpr int kJobs = 10'000;
  int wrong = 0;
  for (int job = 0; job < kJobs; ++job) {
    const auto ranks = static_cast<size_t>(std::lround(std::exp2(std::uniform_real_distribution<>(1, 9)(random))));
    const auto kinds = static_cast<size_t>(draw(1, 4));
    bool is_late = false;
    for (size_t kind = 0; kind < kinds; ++kind) {
      std::vector<uint64_t> last(ranks);
      const int64_t collectives = draw(1, 200);
      for (int64_t i = 0; i < collectives; ++i) {
        ++last[static_cast<size_t>(draw(0, static_cast<int64_t>(ranks) - 1))];  // equal ranks: any is last
      }
      is_late = is_late || judge_latest(*std::max_element(last.begin(), last.end()), static_cast<uint64_t>(collectives),
                                        ranks, kinds) == LateVerdict::kLate;
    }
    wrong += is_late ? 1 : 0;
  }
  EXPECT_LE(wrong, kJobs / 100);
}

// Late by 5 % of a step, where each rank's arrival varies by 1 %.
TEST(LateVerdict, ALateRankIsFound) {
  std::mt19937 random(38);
  std::normal_distribution<> jitter(0, 0.01);
  constexpr int kJobs = 1'000;
  int verdicts = 0;
  for (int job = 0; job < kJobs; ++job) {
    const auto ranks = static_cast<size_t>(std::lround(std::exp2(std::uniform_real_distribution<>(1, 9)(random))));
    std::vector<uint64_t> last(ranks);
    for (int i = 0; i < 50; ++i) {
      std::vector<double> arrivals(ranks);
      std::generate(arrivals.begin(), arrivals.end(), [&] { return jitter(random); });
      arrivals[0] += 0.05;
      ++last[static_cast<size_t>(std::max_element(arrivals.begin(), arrivals.end()) - arrivals.begin())];
    }
    const auto most = std::max_element(last.begin(), last.end());
    verdicts += most == last.begin() && judge_latest(*most, 50, ranks, 1) == LateVerdict::kLate ? 1 : 0;
  }
  EXPECT_GE(verdicts, kJobs * 95 / 100);
}

}  // namespace
}  // namespace aaco
