// SPDX-License-Identifier: MIT
#include "verdict/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

#include "base/json/json.h"
#include "verdict/test_samples.h"

namespace aaco {
namespace {

using test::RunModel;
using test::sample_of;
using testing::HasSubstr;

TEST(PercentChange, LooksLikeTheVerdictsOfTheFirstReadme) {
  EXPECT_EQ(percent_change(300.0, 501.0), "+67%");
  EXPECT_EQ(percent_change(100.0, 65.0), "-35%");
  EXPECT_EQ(percent_change(100.0, 103.14), "+3.1%");
  EXPECT_EQ(percent_change(100.0, 100.0), "+0.0%");
  EXPECT_EQ(percent_change(100.0, 109.97), "+10%");
  EXPECT_EQ(percent_change(std::nullopt, 100.0), "no data");
  EXPECT_EQ(percent_change(0.0, 100.0), "no data");
}

TEST(ExitCode, OfEachVerdict) {
  EXPECT_EQ(exit_code_of(Verdict::kRegressed, true), 1);
  EXPECT_EQ(exit_code_of(Verdict::kImproved, false), 0);
  EXPECT_EQ(exit_code_of(Verdict::kEquivalent, false), 0);
  EXPECT_EQ(exit_code_of(Verdict::kInconclusive, false), 4);
  EXPECT_EQ(exit_code_of(Verdict::kInconclusive, true), 0);
  EXPECT_EQ(exit_code_of(Verdict::kInvalid, true), 4);
}

TEST(VerdictJson, HasTheFieldsOfTheFirstReadmeFirst) {
  std::mt19937_64 random(3);
  RunModel slow;
  slow.small_nodes = 334;  // +67 % of 200, with 20 large: 354 / 220 = +61 %
  const Json json = verdict_json(diff_runs(RunModel{}.sample(5, random), slow.sample(5, random)));
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) {
    keys.push_back(key);
  }
  keys.resize(7);
  EXPECT_THAT(keys, testing::ElementsAre("regression", "severity", "confidence", "latency_delta_pct", "suspected_cause",
                                         "evidence", "recommendation"));
  EXPECT_EQ(json["regression"], true);
  EXPECT_EQ(json["severity"], "high");                       // 402 us of 1.8 ms: +22 %
  EXPECT_DOUBLE_EQ(json["confidence"].get<double>(), 0.99);  // drift was not measured
  EXPECT_NEAR(json["latency_delta_pct"].get<double>(), 22.3, 4);
  EXPECT_EQ(json["suspected_cause"], "launch-bound");
  EXPECT_EQ(json["evidence"]["kernel_launch_count_delta"], "+61%");
  EXPECT_THAT(json["recommendation"].get<std::string>(), HasSubstr("operator fusion"));
  EXPECT_EQ(json["largest_term"], "count");
  const Json& terms = json["terms"];
  EXPECT_NEAR(terms["count_ns"].get<double>() + terms["time_ns"].get<double>() + terms["gap_ns"].get<double>() +
                  terms["unexplained_ns"].get<double>(),
              terms["change_ns"].get<double>(), 1e-3);
}

TEST(VerdictJson, WhatIsNotKnownIsNoDataOrNull) {
  const Json json = verdict_json(diff_runs(sample_of({100, 101, 102}), sample_of({200, 201, 202})));
  EXPECT_EQ(json["evidence"]["kernel_launch_count_delta"], "no data");
  EXPECT_EQ(json["evidence"]["avg_kernel_duration_delta"], "no data");
  EXPECT_EQ(json["evidence"]["cpu_overhead_delta"], "no data");
  EXPECT_TRUE(json["terms"]["count_ns"].is_null());
  EXPECT_TRUE(json["terms"]["count_bound_ns"].is_null());
  EXPECT_EQ(json["suspected_cause"], "undetermined");
  EXPECT_EQ(json["largest_term"], "unexplained");
}

TEST(VerdictJson, OfAnInvalidComparisonHasNoNumbers) {
  RunSample test = sample_of({200, 201, 202});
  test.outputs_finite = false;
  const Json json = verdict_json(diff_runs(sample_of({100, 101, 102}), test));
  EXPECT_EQ(json["verdict"], "invalid");
  EXPECT_EQ(json["regression"], false);
  for (const char* key : {"confidence", "latency_delta_pct", "ratio", "interval", "terms", "largest_term"}) {
    EXPECT_TRUE(json[key].is_null()) << key;
  }
}

TEST(Diff, AChangedLibraryIsNamedBesideTheCause) {
  RunSample baseline = sample_of({100, 101, 102});
  RunSample test = sample_of({200, 201, 202});
  baseline.environment = Json{{"libraries", {{"onnxruntime", "1.30.0"}}}};
  test.environment = Json{{"libraries", {{"onnxruntime", "1.31.0"}}}};
  const Diff diff = diff_runs(baseline, test);
  ASSERT_EQ(diff.lockbox_differences.size(), 1u);
  EXPECT_EQ(diff.lockbox_differences[0].key, "libraries.onnxruntime");
  EXPECT_THAT(diff.cause.recommendation, HasSubstr("libraries.onnxruntime"));
  EXPECT_EQ(verdict_json(diff)["lockbox_differences"].size(), 1u);
}

// Measuring both again to their end would not help: in a crowd they have to be interleaved.
TEST(DiffRuns, OfACrowdSaysToInterleave) {
  RunSample test = sample_of({100, 101, 102});
  test.others_share = 0.41;
  const Diff crowded = diff_runs(sample_of({100, 101, 102}), test);
  EXPECT_EQ(crowded.comparison.verdict, Verdict::kInvalid);
  EXPECT_THAT(crowded.cause.recommendation, HasSubstr("Interleave the two sides (--rerun)"));
  RunSample other = sample_of({100, 101, 102});
  other.configuration.batch = 8;
  EXPECT_THAT(diff_runs(sample_of({100, 101, 102}), other).cause.recommendation, HasSubstr("same work on both sides"));
}

// 2 % of the iterations at 20 times the latency: the medians have no term, so no cause among those of the terms.
TEST(DiffRuns, StallsAreNoCauseOfTheMedians) {
  std::vector<std::vector<double>> steady(5);
  for (size_t process = 0; process < steady.size(); ++process) {
    for (int i = 0; i < 300; ++i) {
      steady[process].push_back(1e6 + 100.0 * static_cast<double>(process) + 10.0 * (i % 13));
    }
  }
  std::vector<std::vector<double>> stalled = steady;
  for (std::vector<double>& process : stalled) {
    for (size_t i = 0; i < 6; ++i) {
      process[50 * i] *= 20;
    }
  }
  const Diff diff = diff_runs(test::sample_of_iterations(steady), test::sample_of_iterations(stalled));
  EXPECT_EQ(diff.comparison.verdict, Verdict::kRegressed);
  EXPECT_EQ(diff.cause.rule, "slow-iterations");
  EXPECT_EQ(diff_runs(test::sample_of_iterations(stalled), test::sample_of_iterations(steady)).cause.rule,
            "fewer-slow-iterations");
  const Json json = verdict_json(diff);
  EXPECT_EQ(json["lines"].size(), 4U);
  EXPECT_EQ(json["lines"][0]["id"], "mean_latency");
  EXPECT_EQ(json["lines"][0]["verdict"], "regressed");
  EXPECT_NEAR(json["lines"][3]["ratio"].get<double>(), 1.38, 0.001);
  EXPECT_EQ(json["decided_by"], (Json{"mean latency", "p99 latency", "throughput"}));
  EXPECT_EQ(json["modes"]["baseline"], Json());
}

}  // namespace
}  // namespace aaco
