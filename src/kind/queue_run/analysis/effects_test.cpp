// SPDX-License-Identifier: MIT
// Distributions of values that may be negative, launch cost, priority, scaling over streams, and the table of figures.
#include <cmath>
#include <gtest/gtest.h>
#include <set>

#include "base/json/json.h"
#include "kind/queue_probe/analysis/launch_cost.h"
#include "kind/queue_probe/analysis/priority_effect.h"
#include "kind/queue_probe/analysis/switch_cost.h"
#include "kind/queue_run/analysis/queue_metrics.h"
#include "kind/queue_run/analysis/stream_scaling.h"

namespace aaco {
namespace {

constexpr double kT2 = 4.302652729749;  // t(0.975, 2)

// Mean 1, standard deviation 2 of -1, 1, 3: 1 +- t(0.975, 2) * 2 / sqrt(3).
TEST(SignedFigure, StudentsTOnTheValuesThemselves) {
  const std::vector<double> values{3, -1, 1};
  const auto estimate = signed_estimate(values);
  EXPECT_EQ(estimate->value, 1);
  EXPECT_NEAR(estimate->interval->low, 1 - kT2 * 2 / std::sqrt(3), 1e-6);
  EXPECT_NEAR(estimate->interval->high, 1 + kT2 * 2 / std::sqrt(3), 1e-6);
  EXPECT_FALSE(signed_estimate(std::span(values).first(2))->interval);
  EXPECT_FALSE(signed_estimate({}));
}

TEST(SignedFigure, PairsCancelALinearDrift) {
  const std::vector<double> first{10, 13, 14, 17};   // at times 0, 3, 4, 7
  const std::vector<double> second{16, 17, 20, 21};  // at times 1, 2, 5, 6: 5 more
  EXPECT_EQ(paired_median_difference(first, second), 5);
  EXPECT_FALSE(paired_median_difference(first, std::span(second).first(3)));
  EXPECT_FALSE(paired_median_difference({}, {}));
}

TEST(SignedFigure, TailsNeedEnoughValues) {
  std::vector<std::vector<double>> values(2);
  for (int i = 0; i < 298; ++i) {
    values[i % 2].push_back(i);
  }
  EXPECT_FALSE(signed_distribution(values).p99);
  EXPECT_TRUE(signed_distribution(values).p95);
  values.push_back({298});
  const SignedDistribution distribution = signed_distribution(values);
  EXPECT_NEAR(*distribution.p99, 0.99 * 298, 1e-9);
  EXPECT_EQ(distribution.processes, 3);
  EXPECT_EQ(distribution.p50->value, 149);  // of the medians 148, 149, 298
  EXPECT_EQ(Json(Json(distribution).get<SignedDistribution>()), Json(distribution));
}

TEST(LaunchCost, WaysAreMatchedOverProcesses) {
  std::vector<std::vector<LaunchSample>> processes;
  for (const double base : {2'600.0, 2'700.0, 2'800.0}) {
    processes.push_back({{1, false, {base, base + 1, base - 1}, {base}}, {8, false, {9'000}, {base / 2}}});
  }
  std::swap(processes[1][0], processes[1][1]);
  processes[2].push_back({1, true, {7'000}, {7'000}});
  const std::vector<LaunchCost> costs = launch_costs(processes);
  ASSERT_EQ(costs.size(), 2U) << "the ways of the first process";
  EXPECT_EQ(*costs[0].call_p50.value, 2'700);
  EXPECT_TRUE(costs[0].call_p50.interval);
  EXPECT_EQ(quality_text(costs[0].call_p99.quality), "no data: needs 299 values, has 9");
  EXPECT_EQ(costs[1].threads, 8);
  EXPECT_EQ(*costs[1].per_kernel.value, 1'350);
  EXPECT_TRUE(launch_costs({}).empty());
  EXPECT_EQ(Json(Json(processes[0]).get<std::vector<LaunchSample>>()), Json(processes[0]));
}

// The marker ends at 1000, a background kernel runs until 1500, others follow at 1500, 2000, 2500.
PriorityRepeat priority_repeat(bool high, int64_t start_ns) {
  PriorityRepeat repeat;
  repeat.high = high;
  repeat.marker = {900, 1'000, 1};
  repeat.kernel = {start_ns, start_ns + 50, 0};
  for (const int64_t at : {800, 1'500, 2'000, 2'500}) {
    repeat.background.push_back({at, at + (at == 800 ? 700 : 500), 2});
  }
  return repeat;
}

PriorityRun priority_run(int64_t low_start_ns) {
  PriorityRun run{0, -5, {}};
  for (const bool high : {false, true, true, false}) {
    run.repeats.push_back(priority_repeat(high, high ? 1'500 : low_start_ns));
  }
  return run;
}

TEST(PriorityEffect, DelaysAndWhoWasLetBy) {
  const std::vector<PriorityRun> runs{priority_run(2'900), priority_run(3'000), priority_run(3'100)};
  const PriorityEffect result = priority_effect(runs);
  EXPECT_EQ(*result.high_delay.value, 500);
  EXPECT_EQ(*result.low_delay.value, 2'000);
  EXPECT_EQ(*result.effect.value, 1'500);
  EXPECT_NEAR(result.effect.interval->high, 1'500 + kT2 * 100 / std::sqrt(3), 1e-6);
  EXPECT_EQ(*result.low_passed.value, 3);
  EXPECT_EQ(*result.high_passed.value, 0);
  EXPECT_EQ(Json(priority_effect(Json(runs).get<std::vector<PriorityRun>>())), Json(result));
}

TEST(PriorityEffect, WhatMakesItVoid) {
  std::vector<PriorityRun> runs{priority_run(3'000)};
  runs[0].highest = runs[0].lowest;
  EXPECT_EQ(quality_text(priority_effect(runs).effect.quality), "no data: the device has no priorities");
  const auto quality_after = [](auto&& change) {
    std::vector<PriorityRun> changed{priority_run(3'000)};
    change(changed[0].repeats[1]);
    return quality_text(priority_effect(changed).effect.quality);
  };
  EXPECT_EQ(quality_after([](PriorityRepeat& repeat) { repeat.kernel.start_ns = 999; }),
            "invalid: process 1, repeat 2: the kernel began before the marker that it waits for had ended");
  EXPECT_EQ(quality_after([](PriorityRepeat& repeat) { repeat.background.clear(); }),
            "invalid: process 1, repeat 2: the device was not loaded when the kernel became ready");
  EXPECT_EQ(quality_after([](PriorityRepeat& repeat) { repeat.marker = {-1, 0, 0}; }),
            "invalid: process 1, repeat 2: kernel 1 of 6 left no time stamp");
  EXPECT_EQ(quality_after([](PriorityRepeat& repeat) { repeat.gate_timed_out = true; }),
            "invalid: process 1, repeat 2: the gate opened by itself before all was enqueued");
  EXPECT_EQ(quality_after([](PriorityRepeat& repeat) { repeat.high = false; }),
            "invalid: process 1, 3 repeats at low priority against 1 at high are no pairs");
}

// 10 per stream up to 4 streams, then 48 for 8: an efficiency of 48 / 80, and a doubling that gains 20 %; 50 for 16
// gains 4 %: saturated from 8.
TEST(StreamScaling, EfficiencyAndSaturation) {
  const auto point = [](int64_t streams, double throughput) {
    return StreamPoint{streams, streams, {throughput * 0.999, throughput, throughput * 1.001}};
  };
  const StreamScaling result =
      stream_scaling({point(16, 50), point(1, 10), point(2, 20), point(4, 40), point(8, 48), {32, 32, {}}});
  ASSERT_EQ(result.rows.size(), 5U);
  EXPECT_NEAR(result.rows[2].efficiency, 1, 1e-9);
  EXPECT_NEAR(result.rows[3].efficiency, 0.6, 1e-9);
  EXPECT_TRUE(result.rows[3].efficiency_interval->low < 0.6 && result.rows[3].efficiency_interval->high > 0.6);
  EXPECT_FALSE(result.rows[0].efficiency_interval) << "of itself there is no ratio";
  EXPECT_NEAR(result.rows[3].per_stream.value, 6, 1e-9);
  // Of 8 streams 4 are used: the rate of one is what it was, the efficiency is not.
  const StreamScaling half = stream_scaling({point(4, 40), {8, 4, {40}}});
  EXPECT_NEAR(half.rows[1].per_stream.value, 10, 1e-9);
  EXPECT_NEAR(half.rows[1].efficiency, 0.5, 1e-9);
  EXPECT_NEAR(*result.rows[3].gain_per_doubling, 0.2, 1e-9);
  EXPECT_EQ(result.saturation_streams, 8);
  EXPECT_EQ(result.saturation, "measured");
  EXPECT_EQ(result.without_throughput, (std::vector<int64_t>{32}));
  EXPECT_EQ(Json(Json(result).get<StreamScaling>()), Json(result));
  EXPECT_EQ(stream_scaling({point(2, 20), point(4, 40)}).saturation, "not reached up to stream count 4");
  EXPECT_EQ(stream_scaling({point(2, 20)}).saturation, "needs two stream counts");
}

// Twice the unit of throughput changes no ratio.
TEST(StreamScaling, TheUnitDoesNotMatter) {
  std::vector<StreamPoint> points{{1, 1, {9, 10, 11}}, {4, 4, {30, 31, 33}}};
  const StreamScaling one = stream_scaling(points);
  for (StreamPoint& point : points) {
    for (double& value : point.process_throughputs) {
      value *= 2;
    }
  }
  const StreamScaling two = stream_scaling(points);
  EXPECT_DOUBLE_EQ(two.rows[1].efficiency, one.rows[1].efficiency);
  EXPECT_NEAR(two.rows[1].efficiency_interval->low, one.rows[1].efficiency_interval->low, 1e-12);
  EXPECT_DOUBLE_EQ(two.rows[1].throughput.value, 2 * one.rows[1].throughput.value);
}

TEST(QueueMetrics, EachIsOnceInTheTableAndSaysAll) {
  std::set<std::string> ids;
  for (const MetricInfo& info : queue_metrics()) {
    EXPECT_TRUE(ids.insert(info.id).second) << info.id;
    for (const char* text : {info.title, info.unit, info.formula, info.needs, info.not_told}) {
      EXPECT_STRNE(text, "") << info.id;
    }
    EXPECT_EQ(find_metric(info.id), nullptr) << info.id << " is in the other table too";
  }
}

}  // namespace
}  // namespace aaco
