// SPDX-License-Identifier: MIT
// How many processes a comparison says that it needs: always more than it had.
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

#include "verdict/compare.h"
#include "verdict/test_samples.h"

namespace aaco {
namespace {

// `far`: one process of forty takes three times as long.
struct DrawnSides {
  RunSample baseline;
  RunSample test;
};
DrawnSides draw(std::mt19937_64& random, size_t pairs, double ratio, double sigma, bool far, bool interleaved) {
  std::normal_distribution<double> noise(0, sigma);
  std::vector<double> a;
  std::vector<double> b;
  for (size_t i = 0; i < pairs; ++i) {
    a.push_back(1e6 * std::exp(noise(random)) * (far && random() % 40 == 0 ? 3 : 1));
    b.push_back(1e6 * ratio * std::exp(noise(random)) * (far && random() % 40 == 0 ? 3 : 1));
  }
  DrawnSides sides{test::sample_of(a), test::sample_of(b)};
  sides.baseline.interleave_group = sides.test.interleave_group = interleaved ? "pair" : "";
  return sides;
}

TEST(Forecast, IsMoreThanWasMeasured) {
  std::mt19937_64 random(1);
  CompareOptions options;
  options.min_effect = 0.01;
  options.drift = 0;
  size_t open = 0;
  for (const size_t pairs : {size_t{3}, size_t{5}, size_t{8}, size_t{30}, size_t{120}}) {
    for (int i = 0; i < 60; ++i) {
      const double ratio = 1 + 0.002 * (i % 10);
      const DrawnSides sides = draw(random, pairs, ratio, 0.05, true, i % 2 == 0);
      const Comparison result = compare(sides.baseline, sides.test, options);
      if (result.verdict == Verdict::kInconclusive && result.processes_needed) {
        ++open;
        EXPECT_GT(*result.processes_needed, static_cast<int64_t>(pairs)) << result.reason;
      }
    }
  }
  EXPECT_GT(open, 100U);
}

// One process of 120 is far away, and ranks are compared; the rest needs some hundred more, and not the five that ranks
// alone would.
TEST(Forecast, OfRanksFollowsTheSpread) {
  std::mt19937_64 random(7);
  CompareOptions options;
  options.min_effect = 0.01;
  options.drift = 0;
  double needed = 0;
  int forecasts = 0;
  for (int i = 0; i < 40; ++i) {
    DrawnSides sides = draw(random, 120, 1.03, 0.12, false, i % 2 == 0);
    sides.baseline.process_medians_ns[3] = 90e6;
    const Comparison result = compare(sides.baseline, sides.test, options);
    if (result.processes_needed && *result.ratio > 1.02) {
      EXPECT_THAT(result.basis, testing::HasSubstr("ranks"));
      needed += std::log(static_cast<double>(*result.processes_needed));
      ++forecasts;
    }
  }
  ASSERT_GT(forecasts, 5);
  const double typical = std::exp(needed / forecasts);
  EXPECT_GT(typical, 150) << forecasts;
  EXPECT_LT(typical, 5000) << forecasts;
}

}  // namespace
}  // namespace aaco
