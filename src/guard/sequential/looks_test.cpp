// SPDX-License-Identifier: MIT
#include "guard/sequential/looks.h"

#include <gtest/gtest.h>
#include <numeric>
#include <random>

#include "base/statistics.h"
#include "verdict/compare.h"
#include "verdict/named_sample.h"

namespace aaco {
namespace {

constexpr double kSpread = 0.01;  // standard deviation of the logarithm of a process's time
constexpr double kMinEffect = 0.01;
constexpr int64_t kMostPairs = 60;
constexpr double kEquivalenceLevel = 0.05;

struct Rates {
  double regressed = 0;
  double improved = 0;
  double equivalent = 0;
};

// Interleaved checks of two sides whose times differ by `ratio`, each until decided.
Rates simulated(double ratio, int checks, bool own_level_each_look) {
  std::mt19937_64 random(20261128);
  std::normal_distribution<double> noise(0, kSpread);
  std::normal_distribution<double> common(0, 0.03);  // what moves both processes of a pair
  const std::vector<Look> looks = plan_looks(kMostPairs, kVerdictLevel, kEquivalenceLevel);
  Rates rates;
  for (int check = 0; check < checks; ++check) {
    NamedSample a = measured_sample("", "", {});
    NamedSample b = a;
    a.sample.interleave_group = b.sample.interleave_group = "g";
    Verdict verdict = Verdict::kInconclusive;
    const auto measure = [&](int64_t pairs) -> Result<bool> {
      while (static_cast<int64_t>(a.sample.process_medians_ns.size()) < pairs) {
        const double both = common(random);
        a.sample.process_medians_ns.push_back(1e6 * std::exp(both + noise(random)));
        b.sample.process_medians_ns.push_back(1e6 * ratio * std::exp(both + noise(random)));
      }
      return true;
    };
    const auto decide = [&](const Look& look) -> Result<bool> {
      CompareOptions options;
      options.min_effect = kMinEffect;
      options.level = own_level_each_look ? look.level : kVerdictLevel;
      options.equivalence_confidence = 1 - 2 * look.equivalence_level;
      verdict = compare(a.sample, b.sample, options).verdict;
      return verdict != Verdict::kInconclusive;
    };
    EXPECT_TRUE(look_until_decided(looks, measure, decide));
    rates.regressed += verdict == Verdict::kRegressed ? 1.0 / checks : 0;
    rates.improved += verdict == Verdict::kImproved ? 1.0 / checks : 0;
    rates.equivalent += verdict == Verdict::kEquivalent ? 1.0 / checks : 0;
  }
  return rates;
}

TEST(Looks, SpendTheLevelAndNoMore) {
  for (const int64_t most : {3, 5, 6, 8, 60, 120}) {
    const std::vector<Look> looks = plan_looks(most, 0.01, 0.05);
    ASSERT_FALSE(looks.empty());
    EXPECT_EQ(looks.back().pairs, most);
    double level = 0;
    double equivalence = 0;
    int64_t before = 0;
    for (const Look& look : looks) {
      EXPECT_GT(look.pairs, before);
      before = look.pairs;
      level += look.level;
      equivalence += look.equivalence_level;
    }
    EXPECT_NEAR(level, 0.01, 1e-12);
    EXPECT_NEAR(equivalence, 0.05, 1e-12);
  }
}

TEST(Looks, ComeAtWholeBatches) {
  for (const Look& look : plan_looks(40, 0.01, 0.05, 4)) {
    EXPECT_EQ(look.pairs % 4, 0);
  }
}

TEST(Looks, EndWhereTheTimeDoes) {
  const std::vector<Look> looks = plan_looks(60, 0.01, 0.05);
  const auto end = look_until_decided(
      looks, [](int64_t pairs) -> Result<bool> { return pairs <= 8; },
      [](const Look&) -> Result<bool> { return false; });
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->out_of_time);
  EXPECT_FALSE(end->decided);
  EXPECT_EQ(end->pairs, 8);
  EXPECT_EQ(end->looks, 2U);
}

// The worst case for a false alarm is a change of just the minimum effect.
TEST(Looks, KeepTheErrorRateWhereTheUsualLevelDoesNot) {
  constexpr int kChecks = 3000;
  const Rates kept = simulated(1 + kMinEffect, kChecks, true);
  EXPECT_LE(binomial_tail(static_cast<uint64_t>(std::lround(kept.regressed * kChecks)), kChecks, kVerdictLevel) < 0.001
                ? kept.regressed
                : 0,
            kVerdictLevel);
  const Rates each = simulated(1 + kMinEffect, kChecks, false);
  EXPECT_GT(each.regressed, 1.5 * kVerdictLevel) << "who looks often at the usual level is wrong more often";
}

TEST(Looks, FindThreePercentAndCallTheSameEquivalent) {
  const Rates same = simulated(1, 1000, true);
  EXPECT_EQ(same.regressed, 0);
  EXPECT_EQ(same.improved, 0);
  EXPECT_GE(same.equivalent, 0.95);
  EXPECT_GE(simulated(1.03, 1000, true).regressed, 0.95);
  EXPECT_GE(simulated(1 / 1.03, 1000, true).improved, 0.95);
}

}  // namespace
}  // namespace aaco
