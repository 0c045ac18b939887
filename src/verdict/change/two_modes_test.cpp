// SPDX-License-Identifier: MIT
#include "verdict/change/two_modes.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include "verdict/test_samples.h"

namespace aaco {
namespace {

using test::process_of;

std::vector<double> with_slow(double share, double slow, int iterations = 300) {
  std::vector<double> values;
  for (int i = 0; i < iterations; ++i) {
    values.push_back((i < share * iterations ? slow : 1e6) * (1 + 0.001 * (i % 7)));
  }
  return values;
}

// 144 of 300 iterations at 1.5 ms, the rest at 1 ms.
TEST(TwoModes, HavePlacesAndShares) {
  const std::vector<ProcessSample> processes(3, process_of(with_slow(0.48, 1.5e6)));
  const auto modes = two_modes(processes);
  ASSERT_TRUE(modes);
  EXPECT_NEAR(modes->fast_ns, 1.003e6, 1e3);
  EXPECT_NEAR(modes->slow_ns, 1.5045e6, 2e3);
  EXPECT_NEAR(modes->slow_share, 0.48, 0.005);
  EXPECT_EQ(modes->process_shares.size(), 3U);
  EXPECT_EQ(modes_text(*modes), "1.003 ms and 1.504 ms (48 % of the iterations)");
  EXPECT_NEAR(trimmed_mean_ns(processes[0]), 1.003e6 * (1 + 0.5 * 0.48), 4e3);
  // sqrt(0.48 0.52) 0.5 ms / sqrt(300), of 1.24 ms.
  EXPECT_NEAR(trimmed_mean_error(processes[0]), 0.4996 * 0.5 / std::sqrt(300.0) / 1.24, 3e-4);
}

TEST(TwoModes, AStallIsNone) {
  EXPECT_FALSE(two_modes(std::vector<ProcessSample>(3, process_of(with_slow(0.02, 20e6)))));
  EXPECT_FALSE(two_modes(std::vector<ProcessSample>(3, process_of(with_slow(0, 1)))));
}

TEST(TwoModes, StallsDoNotHideThem) {
  std::vector<double> values = with_slow(0.4, 1.2e6);
  values[299] = values[298] = values[297] = 400e6;
  const auto modes = two_modes(std::vector<ProcessSample>(3, process_of(values)));
  ASSERT_TRUE(modes);
  EXPECT_NEAR(modes->slow_ns, 1.2e6, 1e4);
}

// Of processes: two in one mode and three in the other are modes, one by itself is an odd process.
TEST(TwoModes, OfProcesses) {
  const ProcessSample fast = process_of(with_slow(0, 1));
  const ProcessSample slow = process_of(with_slow(1, 1.2e6));
  const auto modes = two_modes(std::vector{fast, slow, fast, slow, fast});
  ASSERT_TRUE(modes);
  EXPECT_NEAR(modes->slow_share, 0.4, 0.002);
  EXPECT_FALSE(two_modes(std::vector{fast, fast, fast, fast, slow}));
}

// One slow iteration of ten in each, and a process that is slow as a whole: an odd process, and no modes.
TEST(TwoModes, OneSlowIterationOfTenIsNone) {
  const ProcessSample one_of_ten = process_of(with_slow(0.1, 1.5e6, 10));
  EXPECT_FALSE(two_modes(std::vector{process_of(with_slow(1, 1.5e6, 10)), one_of_ten, one_of_ten}));
}

// Normal, lognormal, uniform and exponential latencies have one.
TEST(TwoModes, SkewIsNoMode) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  int wrong = 0;
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<std::vector<ProcessSample>> sides(4);
    for (int process = 0; process < 5; ++process) {
      std::vector<std::vector<double>> values(4);
      for (int i = 0; i < 300; ++i) {
        values[0].push_back(1e6 * (1 + 0.05 * normal(random)));
        values[1].push_back(1e6 * std::exp(0.5 * normal(random)));
        values[2].push_back(1e6 * (1 + uniform(random)));
        values[3].push_back(1e6 * (1 - 0.3 * std::log(1 - uniform(random))));
      }
      for (size_t kind = 0; kind < sides.size(); ++kind) {
        sides[kind].push_back(process_of(values[kind]));
      }
    }
    for (const auto& side : sides) {
      wrong += two_modes(side) ? 1 : 0;
    }
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace aaco
