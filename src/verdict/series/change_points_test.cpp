// SPDX-License-Identifier: MIT
#include "verdict/series/change_points.h"

#include <cmath>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

namespace aaco {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

// Reproducible on all libraries: std::normal_distribution is not.
class Noise {
 public:
  explicit Noise(uint64_t seed) : bits_(seed) {}
  double uniform() { return static_cast<double>(bits_() >> 11U) * 0x1p-53; }
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) {
      sum += uniform();
    }
    return sum;
  }

 private:
  std::mt19937_64 bits_;
};

std::vector<double> flat(size_t count, double level, double sigma, uint64_t seed) {
  Noise noise(seed);
  std::vector<double> values(count);
  for (double& value : values) {
    value = level + sigma * noise.normal();
  }
  return values;
}

void raise(std::vector<double>& values, size_t from, size_t to, double factor) {
  for (size_t i = from; i < to; ++i) {
    values[i] *= factor;
  }
}

TEST(ChangePoints, AStepIsFoundWithItsSizeAndPlace) {
  std::vector<double> values = flat(100, 50, 0.5, 1);
  raise(values, 60, 100, 1.05);
  const std::vector<ChangePoint> points = find_change_points(values);
  ASSERT_THAT(points, SizeIs(1));
  EXPECT_EQ(points[0].build, 60U);
  EXPECT_LE(points[0].first_build, 60U);
  EXPECT_GE(points[0].last_build, 60U);
  EXPECT_LE(points[0].last_build - points[0].first_build, 2U);
  ASSERT_TRUE(points[0].interval);
  EXPECT_LT(points[0].interval->low, 1.05);
  EXPECT_GT(points[0].interval->high, 1.05);
  EXPECT_LT(points[0].interval->high - points[0].interval->low, 0.02);
  EXPECT_GT(points[0].evidence, points[0].threshold);
}

TEST(ChangePoints, StepsUpAndDownAreTold) {
  std::vector<double> values = flat(150, 50, 0.5, 2);
  raise(values, 40, 90, 1.06);
  const std::vector<ChangePoint> points = find_change_points(values);
  ASSERT_THAT(points, SizeIs(2));
  EXPECT_EQ(points[0].build, 40U);
  EXPECT_EQ(points[1].build, 90U);
  EXPECT_GT(*points[0].ratio, 1.03);
  EXPECT_LT(*points[1].ratio, 0.97);
}

TEST(ChangePoints, AStepWithoutNoiseIsExact) {
  std::vector<double> values(10, 4.0);
  raise(values, 5, 10, 1.5);
  const std::vector<ChangePoint> points = find_change_points(values);
  ASSERT_THAT(points, SizeIs(1));
  EXPECT_EQ(points[0].build, 5U);
  EXPECT_DOUBLE_EQ(*points[0].ratio, 1.5);
}

TEST(ChangePoints, FewerBuildsThanTwoSegmentsHaveNone) {
  std::vector<double> values(9, 4.0);
  raise(values, 5, 9, 1.5);
  EXPECT_THAT(find_change_points(values), IsEmpty());
}

TEST(ChangePoints, AStepBelowTheSmallestThatMattersIsNone) {
  std::vector<double> values = flat(200, 50, 0.05, 3);
  raise(values, 100, 200, 1.008);
  EXPECT_THAT(find_change_points(values), IsEmpty());
  EXPECT_THAT(find_change_points(values, {.min_change = 0}), SizeIs(1));
}

TEST(ChangePoints, NoSpikeAlarms) {
  for (size_t at = 0; at < 60; ++at) {
    std::vector<double> values = flat(60, 50, 0.5, 4);
    raise(values, at, at + 1, 10);
    EXPECT_THAT(find_change_points(values), IsEmpty()) << at;
  }
}

struct Quiet {
  const char* name;
  double (*value)(Noise& noise, double previous);
};

class QuietSeries : public testing::TestWithParam<Quiet> {};

// 200 series of each kind: the most that alarm is what a rate of 1 % allows in 999 of 1,000 (binomial).
TEST_P(QuietSeries, RarelyAlarms) {
  constexpr int kSeries = 200;
  constexpr int kMostAlarms = 7;
  Noise noise(5);
  int alarms = 0;
  for (int i = 0; i < kSeries; ++i) {
    std::vector<double> values(100);
    double previous = 0;
    for (double& value : values) {
      previous = GetParam().value(noise, previous);
      value = 100 + previous;
    }
    alarms += find_change_points(values, {.min_change = 0}).empty() ? 0 : 1;
  }
  EXPECT_LE(alarms, kMostAlarms);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, QuietSeries,
    testing::Values(
        Quiet{"noise", [](Noise& noise, double) { return noise.normal(); }},
        Quiet{"bimodal", [](Noise& noise, double) { return (noise.uniform() < 0.3 ? 10 : 0) + noise.normal(); }},
        Quiet{"spikes", [](Noise& noise, double) { return (noise.uniform() < 0.05 ? 30 : 0) + noise.normal(); }},
        Quiet{"rounded", [](Noise& noise, double) { return std::round(noise.normal() * 0.6); }},
        Quiet{"correlated", [](Noise& noise, double last) { return 0.3 * last + noise.normal(); }}),
    [](const testing::TestParamInfo<Quiet>& info) { return info.param.name; });

TEST(ChangePoints, ASlopeIsNoStep) {
  std::vector<double> values = flat(200, 100, 1, 6);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] += 0.1 * static_cast<double>(i);
  }
  EXPECT_THAT(find_change_points(values), IsEmpty());
}

// Each build has its own level, its processes hardly differ: what processes say of the noise must not count.
TEST(ChangePoints, TheNoiseIsThatOfBuilds) {
  Noise noise(7);
  std::vector<std::vector<double>> builds;
  for (int i = 0; i < 120; ++i) {
    const double level = 100 + 3 * noise.normal();
    builds.push_back({level + 0.01 * noise.normal(), level + 0.01 * noise.normal(), level + 0.01 * noise.normal()});
  }
  const Result<std::vector<double>> medians = build_medians(builds);
  ASSERT_TRUE(medians);
  EXPECT_THAT(find_change_points(*medians), IsEmpty());
}

TEST(ChangePoints, MediansOfProcesses) {
  const std::vector<std::vector<double>> builds{{3, 1, 2}, {4, 8}};
  EXPECT_THAT(build_medians(builds).value(), testing::ElementsAre(2, 6));
  EXPECT_FALSE(build_medians(std::vector<std::vector<double>>{{}}));
  EXPECT_FALSE(build_medians(std::vector<std::vector<double>>{{std::numeric_limits<double>::infinity()}}));
}

TEST(ChangePoints, TheSameInputGivesTheSameBits) {
  std::vector<double> values = flat(500, 50, 1, 8);
  raise(values, 250, 500, 1.1);
  const std::vector<ChangePoint> first = find_change_points(values);
  const std::vector<ChangePoint> second = find_change_points(values);
  ASSERT_THAT(first, SizeIs(1));
  ASSERT_THAT(second, SizeIs(1));
  EXPECT_EQ(std::memcmp(&first[0].evidence, &second[0].evidence, sizeof(double)), 0);
  EXPECT_EQ(first[0].interval, second[0].interval);
}

TEST(ChangePoints, ScaleAndSignDoNotMatter) {
  std::vector<double> values = flat(120, 50, 0.5, 9);
  raise(values, 70, 120, 1.05);
  std::vector<double> negative;
  for (const double value : values) {
    negative.push_back(-1e9 * value);
  }
  const std::vector<ChangePoint> points = find_change_points(negative);
  ASSERT_THAT(points, SizeIs(1));
  EXPECT_EQ(points[0].build, find_change_points(values)[0].build);
  EXPECT_FALSE(points[0].ratio);
}

}  // namespace
}  // namespace aaco
