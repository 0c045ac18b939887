// SPDX-License-Identifier: MIT
#include "engine/warmup.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace aaco {
namespace {

std::vector<double> noisy(size_t n, double level, double sigma, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(0, sigma);
  std::vector<double> series;
  for (size_t i = 0; i < n; ++i) {
    series.push_back(level * (1 + noise(random)));
  }
  return series;
}

TEST(Stationary, NoiseAloneIs) {
  // The trend test's level is 5 %, so of 200 stationary series at most about 10 may fail; 20 is four sigma above.
  int failed = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    failed += is_stationary(noisy(100, 1e6, 0.02, seed)) ? 0 : 1;
  }
  EXPECT_LE(failed, 20);
}

TEST(Stationary, SlowDriftIsNot) {
  // Falls by half over 100 iterations, noise 1 %: the window's halves differ by far more than 1 %.
  auto series = noisy(100, 1e6, 0.01, 1);
  for (size_t i = 0; i < series.size(); ++i) {
    series[i] *= 2 - static_cast<double>(i) / 100;
  }
  EXPECT_FALSE(is_stationary(series));
}

TEST(Stationary, StepInTheWindowIsNot) {
  auto series = noisy(100, 1e6, 0.005, 2);
  for (size_t i = 75; i < series.size(); ++i) {
    series[i] *= 1.1;
  }
  EXPECT_FALSE(is_stationary(series));
}

TEST(WarmUp, StopsAfterTheSeriesHasSettled) {
  // Decays with a time constant of 10 iterations: 5 % of the excess is left after 30.
  WarmUp warm_up(10, 1e12);
  auto noise = noisy(1000, 1e6, 0.002, 3);
  int64_t i = 0;
  while (!warm_up.add(noise[static_cast<size_t>(i)] * (1 + std::exp(-static_cast<double>(i) / 10)))) {
    ++i;
  }
  EXPECT_TRUE(warm_up.stationary());
  EXPECT_GT(warm_up.iterations(), 30);
  EXPECT_LT(warm_up.iterations(), 300);
}

// A series that is steady from its first iteration on: the first test ends it.
TEST(WarmUp, IsTestedFirstAtTwiceTheMinimum) {
  for (const auto& [minimum, first_test] :
       {std::pair(5, 10), std::pair(3, 10), std::pair(8, 16), std::pair(10, 20), std::pair(15, 20)}) {
    WarmUp warm_up(minimum, 1e12);
    while (!warm_up.add(1000)) {
    }
    EXPECT_TRUE(warm_up.stationary());
    EXPECT_EQ(warm_up.iterations(), first_test) << minimum;
  }
}

TEST(WarmUp, GivesUpAtItsLimitAndSaysSo) {
  WarmUp warm_up(5, 50);
  double latency = 1;
  while (!warm_up.add(latency)) {
    latency *= 1.1;
  }
  EXPECT_FALSE(warm_up.stationary());
}

TEST(WarmUp, NeverFewerThanTheMinimum) {
  WarmUp warm_up(64, 1);
  while (!warm_up.add(1000)) {
  }
  EXPECT_EQ(warm_up.iterations(), 64);
}

}  // namespace
}  // namespace aaco
