// SPDX-License-Identifier: MIT
#include "analysis/learned/learned_limit.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace aaco {
namespace {

// A run of transposes in cache, as the bench records them.
std::vector<MetricValue> moving_data() {
  const std::vector<std::pair<const char*, double>> values{{"dispatch_cost_share", 0.003},
                                                           {"mean_node_time", 250e3},
                                                           {"microkernel_fraction_count", 0},
                                                           {"microkernel_fraction_time", 0},
                                                           {"launch_rate", 4000},
                                                           {"bandwidth_roof_fraction", 1.8},
                                                           {"flops_roof_fraction", 0},
                                                           {"intensity_over_ridge", 0},
                                                           {"movement_time_share", 1},
                                                           {"node_time_coverage", 1},
                                                           {"cpu_utilisation", 0.99},
                                                           {"run_delay_share", 0.002},
                                                           {"off_cpu_share", 0.006},
                                                           {"crowded_out_share", 0.008},
                                                           {"involuntary_switch_rate", 30},
                                                           {"psi_cpu", 0.003},
                                                           {"quota_throttled_share", 0},
                                                           {"pause_share", 0.001},
                                                           {"threads_per_processor", 1},
                                                           {"minor_fault_rate", 0},
                                                           {"latency_cv_within", 0.03}};
  std::vector<MetricValue> metrics;
  for (const auto& [id, value] : values) {
    metrics.push_back(measured(id, value));
  }
  return metrics;
}

TEST(LearnedLimit, NamesWhatMovesData) {
  const LearnedLimit limit = learned_limit(moving_data(), DeviceKind::kCpu);
  EXPECT_EQ(limit.name, "movement-bound") << limit.leading << " " << limit.share << " " << limit.reason;
  ASSERT_FALSE(limit.evidence.empty());
  EXPECT_TRUE(std::ranges::any_of(limit.evidence, [](const LearnedEvidence& evidence) {
    return evidence.metric == "movement_time_share" && evidence.value == 1;
  }));
  EXPECT_GT(limit.evidence.front().contribution, 0);
  EXPECT_GT(limit.answers, 100);
  EXPECT_LE(limit.right, limit.answers);
}

void set(std::vector<MetricValue>& metrics, const char* id, double value) {
  *std::ranges::find(metrics, id, &MetricValue::id) = measured(id, value);
}

// All trees but few vote as before; what marks the class is not there.
TEST(LearnedLimit, GivesNoClassToARunWithoutItsMark) {
  std::vector<MetricValue> metrics = moving_data();
  set(metrics, "movement_time_share", 0.8);
  const LearnedLimit limit = learned_limit(metrics, DeviceKind::kCpu);
  EXPECT_EQ(limit.leading, "movement-bound");
  EXPECT_TRUE(limit.name.empty());
  EXPECT_EQ(limit.reason,
            "the likeliest is movement-bound, yet movement_time_share is 0.8, less than the 0.868 of such runs");
}

// The trees hardly look at pauses where all but one class have none.
TEST(LearnedLimit, GivesNoClassOfWorkToARunThatWaitsForLonger) {
  std::vector<MetricValue> metrics = moving_data();
  set(metrics, "pause_share", 0.16);
  const LearnedLimit limit = learned_limit(metrics, DeviceKind::kCpu);
  EXPECT_EQ(limit.leading, "movement-bound");
  EXPECT_TRUE(limit.name.empty()) << limit.name;
  EXPECT_EQ(limit.reason, "the likeliest is movement-bound, yet pause_share is 0.16, more than the 0.151 of such runs");
}

TEST(LearnedLimit, SaysNothingOfAGpu) {
  const LearnedLimit limit = learned_limit(moving_data(), DeviceKind::kGpu);
  EXPECT_TRUE(limit.name.empty());
  EXPECT_EQ(limit.reason, "it learned from runs on processors only");
}

TEST(LearnedLimit, SaysNothingOfNothing) {
  const LearnedLimit limit = learned_limit({}, DeviceKind::kCpu);
  EXPECT_TRUE(limit.name.empty());
  EXPECT_FALSE(limit.reason.empty());
}

// With the trees that are shipped: whatever is taken away, no answer becomes surer.
TEST(LearnedLimit, ToKnowLessMakesNothingSurer) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<MetricValue> metrics = moving_data();
    double before = learned_limit(metrics, DeviceKind::kCpu).share;
    ASSERT_GT(before, 0.5);
    while (!metrics.empty()) {
      metrics.erase(metrics.begin() + static_cast<std::ptrdiff_t>(random() % metrics.size()));
      const double after = learned_limit(metrics, DeviceKind::kCpu).share;
      ASSERT_LE(after, before + 1e-12);
      before = after;
    }
  }
}

}  // namespace
}  // namespace aaco
