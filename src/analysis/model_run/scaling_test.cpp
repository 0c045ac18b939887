// SPDX-License-Identifier: MIT
#include "analysis/model_run/scaling.h"

#include <cmath>
#include <gtest/gtest.h>

#include "analysis/model_run/results.h"
#include "base/json/json.h"

namespace aaco {
namespace {

ScalingPoint point(int64_t batch, double latency_ns, double half = 0) {
  Estimate time_ns{latency_ns, {}};
  if (half > 0) {
    time_ns.interval = Interval{latency_ns - half, latency_ns + half};
  }
  return {batch, time_ns, time_ns};
}

// Latency 100 + 10 b: throughput at 1, 2 is 1/110, 2/120 per ns: a gain of 2 * 110 / 120 - 1.
TEST(Scaling, GainPerDoubling) {
  const Scaling scaling = scaling_of({point(2, 120), point(1, 110)});
  ASSERT_EQ(scaling.rows.size(), 2U);
  EXPECT_EQ(scaling.rows[0].batch, 1);
  EXPECT_FALSE(scaling.rows[0].gain_per_doubling);
  EXPECT_NEAR(*scaling.rows[1].gain_per_doubling, 2.0 * 110 / 120 - 1, 1e-12);
  EXPECT_NEAR(scaling.rows[1].samples_per_s->value, 2 / 120e-9, 1);
  EXPECT_DOUBLE_EQ(scaling.rows[1].per_sample_ns, 60);
}

// Medians that double with the batch, and stalls that double the elapsed time of batch 2 once more: what was a gain of
// 0 is one of -50 %.
TEST(Scaling, ThroughputIsOfElapsedTime) {
  const Scaling scaling = scaling_of({{1, {100, {}}, Estimate{100, {}}}, {2, {200, {}}, Estimate{400, {}}}});
  EXPECT_DOUBLE_EQ(scaling.rows[1].samples_per_s->value, 2 / 400e-9);
  EXPECT_DOUBLE_EQ(*scaling.rows[1].gain_per_doubling, -0.5);
  EXPECT_DOUBLE_EQ(scaling.rows[1].per_sample_ns, 100);
}

TEST(Scaling, WithoutElapsedTimesThereIsNoThroughput) {
  const Scaling scaling = scaling_of({{1, {100, {}}, {}}, {2, {200, {}}, {}}});
  EXPECT_FALSE(scaling.rows[1].samples_per_s);
  EXPECT_FALSE(scaling.rows[1].gain_per_doubling);
  EXPECT_FALSE(scaling.saturation_batch);
  EXPECT_EQ(scaling.saturation, "no data: the throughput of batch 1 is not recorded");
  EXPECT_NEAR(*scaling.batch_exponent, 1, 1e-12) << "latencies are known";
}

// 1,000 samples/s [800, 1,250] at batch 1: 1 ms [0.8, 1.25] of elapsed time.
TEST(Scaling, ElapsedTimeFollowsFromARunsThroughput) {
  Analysis analysis;
  EXPECT_FALSE(elapsed_of(analysis, 1));
  analysis.metrics.push_back(measured("throughput", 1000, Interval{800, 1250}));
  EXPECT_DOUBLE_EQ(elapsed_of(analysis, 1)->value, 1e6);
  EXPECT_DOUBLE_EQ(elapsed_of(analysis, 1)->interval->low, 0.8e6);
  EXPECT_DOUBLE_EQ(elapsed_of(analysis, 8)->interval->high, 10e6);
}

// Throughput 1/100, 2/202, 4/305: -1 %, then 32 %. A table that rises at its end shows no saturation before.
TEST(Scaling, WhatRisesAgainWasNotSaturated) {
  const Scaling scaling = scaling_of({point(1, 100), point(2, 202), point(4, 305)});
  EXPECT_FALSE(scaling.saturation_batch);
  EXPECT_EQ(scaling.saturation, "not found: no gain from batch 1 to 2, yet 32 % a doubling up to 4");
}

// From 1 to 8 in one step, throughput times 3.375: a gain of 50 % in each of three doublings.
TEST(Scaling, GainIsInterpolatedOverDoublings) {
  const Scaling scaling = scaling_of({point(1, 1000), point(8, 8000 / 3.375)});
  EXPECT_NEAR(*scaling.rows[1].gain_per_doubling, 0.5, 1e-9);
}

// Constant latency until 4, then proportional to the batch.
TEST(Scaling, SaturatesWhereADoublingGainsLittle) {
  const Scaling scaling =
      scaling_of({point(1, 100, 1), point(2, 100, 1), point(4, 100, 1), point(8, 200, 1), point(16, 400, 1)});
  EXPECT_EQ(scaling.saturation_batch, 4);
  EXPECT_EQ(scaling.saturation, "measured");
}

TEST(Scaling, AWideIntervalLeavesSaturationOpen) {
  const Scaling scaling = scaling_of({point(1, 100, 10), point(2, 195, 10)});
  EXPECT_FALSE(scaling.saturation_batch);
  EXPECT_TRUE(scaling.saturation.starts_with("inconclusive from batch 1")) << scaling.saturation;
  EXPECT_EQ(scaling_of({point(1, 100), point(2, 195)}).saturation_batch, 1)
      << "without intervals the value decides, and says so";
}

TEST(Scaling, NotSaturatedSaysHowFar) {
  EXPECT_EQ(scaling_of({point(1, 100), point(2, 101)}).saturation, "not reached up to batch 2");
  EXPECT_EQ(scaling_of({point(1, 100)}).saturation, "needs two batches");
}

// latency = 7 b^0.6.
TEST(Scaling, ExponentIsTheSlopeOfLogarithms) {
  std::vector<ScalingPoint> points;
  for (const int64_t batch : {1, 3, 8, 20}) {
    points.push_back(point(batch, 7 * std::pow(static_cast<double>(batch), 0.6)));
  }
  EXPECT_NEAR(*scaling_of(points).batch_exponent, 0.6, 1e-12);
  EXPECT_FALSE(scaling_of({point(4, 10)}).batch_exponent);
}

TEST(Scaling, SurvivesARoundTrip) {
  const Json json = scaling_of({point(1, 100, 1), point(2, 120, 1)});
  EXPECT_EQ(Json(json.get<Scaling>()), json);
}

}  // namespace
}  // namespace aaco
