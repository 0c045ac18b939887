// SPDX-License-Identifier: MIT
#include "verdict/change/change_lines.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

#include "verdict/compare.h"
#include "verdict/test_samples.h"

namespace aaco {
namespace {

using test::sample_of_iterations;
using testing::ElementsAre;
using testing::HasSubstr;

using Iterations = std::vector<std::vector<double>>;

// Five processes of 300 iterations of about 1 ms, the first `share` of them slower by `factor`.
Iterations mixed(double share, double factor, unsigned seed, double scale = 1e6) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(1, 0.005);
  Iterations processes(5);
  for (std::vector<double>& process : processes) {
    for (int i = 0; i < 300; ++i) {
      process.push_back(scale * normal(random) * (i < std::lround(share * 300) ? factor : 1));
    }
  }
  return processes;
}

const ChangeLine& line(const Comparison& comparison, std::string_view id) {
  for (const ChangeLine& change_line : comparison.lines) {
    if (change_line.id == id) {
      return change_line;
    }
  }
  ADD_FAILURE() << "no line " << id;
  return comparison.lines.front();
}

// 2 % of the iterations become 20 times as slow: the mean is 0.98 + 0.02 * 20 = 1.38 of what it was, the 99th
// percentile 20 times, the median the same.
TEST(ChangeLines, StallsRegressMeanAndTailWhereMediansAreEquivalent) {
  const Comparison result = compare(sample_of_iterations(mixed(0, 1, 1)), sample_of_iterations(mixed(0.02, 20, 2)));
  EXPECT_EQ(result.verdict, Verdict::kRegressed);
  EXPECT_EQ(result.severity, Severity::kCritical);
  EXPECT_NEAR(*result.ratio, 1, 0.002);
  EXPECT_NEAR(*line(result, "mean_latency").ratio, 1.38, 0.01);
  EXPECT_NEAR(*line(result, "throughput").ratio, 1.38, 0.01);
  EXPECT_NEAR(*line(result, "p99_latency").ratio, 20, 0.3);
  EXPECT_EQ(line(result, "p90_latency").verdict, Verdict::kEquivalent);
  EXPECT_THAT(result.decided_by, ElementsAre("mean latency", "p99 latency", "throughput"));
  EXPECT_THAT(result.reason, HasSubstr("the medians alone are equivalent"));
}

// The same the other way round: improved.
TEST(ChangeLines, StallsThatGoAreAnImprovement) {
  const Comparison result = compare(sample_of_iterations(mixed(0.02, 20, 2)), sample_of_iterations(mixed(0, 1, 1)));
  EXPECT_EQ(result.verdict, Verdict::kImproved);
  EXPECT_THAT(result.decided_by, testing::Contains("p99 latency"));
}

// Slow by half, 10 -> 40 %: mean 1.05 -> 1.20 (+14.3 %), 90th percentile 1 -> 1.5.
TEST(ChangeLines, MoreSlowIterationsRegressTheTail) {
  const Comparison result = compare(sample_of_iterations(mixed(0.1, 1.5, 1)), sample_of_iterations(mixed(0.4, 1.5, 2)));
  EXPECT_EQ(result.verdict, Verdict::kRegressed);
  EXPECT_EQ(line(result, "p90_latency").verdict, Verdict::kRegressed);
  EXPECT_NEAR(*line(result, "mean_latency").ratio, 1.2 / 1.05, 0.003);
  EXPECT_NEAR(*result.ratio, 1.2 / 1.05, 0.01) << "of means, as there are two modes";
  EXPECT_EQ(result.basis, "means of two modes");
}

// 48 -> 52 %: medians +50 %, means +1.6 % plus or minus 1.7 % from 1500 iterations a side.
TEST(ChangeLines, TwoModesAreComparedByTheirShares) {
  const Comparison result =
      compare(sample_of_iterations(mixed(0.48, 1.5, 1)), sample_of_iterations(mixed(0.52, 1.5, 2)));
  EXPECT_EQ(result.verdict, Verdict::kInconclusive) << result.reason;
  ASSERT_TRUE(result.baseline_modes && result.test_modes);
  EXPECT_NEAR(result.baseline_modes->slow_share, 0.48, 0.005);
  EXPECT_NEAR(result.test_modes->slow_share, 0.52, 0.005);
  EXPECT_NEAR(result.test_modes->slow_ns, 1.5e6, 1e4);
  EXPECT_NEAR(*result.ratio, 1.26 / 1.24, 0.006);
  EXPECT_THAT(result.reason, HasSubstr("two modes (baseline 1.000 ms and 1.500 ms (48 % of the iterations); test"));
}

TEST(ChangeLines, UnchangedStaysEquivalent) {
  const Comparison result = compare(sample_of_iterations(mixed(0, 1, 1)), sample_of_iterations(mixed(0, 1, 2)));
  EXPECT_EQ(result.verdict, Verdict::kEquivalent) << result.reason;
  EXPECT_TRUE(result.decided_by.empty());
}

// 3 to 7 % of the iterations slower by half: the 99th percentile +50 %, within what drift may do to it, the rest as it
// was. No regression, yet not "nothing to do".
TEST(ChangeLines, ALineThatRatherChangedTakesEquivalenceAway) {
  Iterations test = mixed(0, 1, 2);
  for (size_t process = 0; process < test.size(); ++process) {
    for (size_t i = 0; i < 3 * (process + 3); ++i) {
      test[process][i * 7] *= 1.5;
    }
  }
  const Comparison result = compare(sample_of_iterations(mixed(0, 1, 1)), sample_of_iterations(test));
  EXPECT_EQ(result.verdict, Verdict::kInconclusive) << result.reason;
  EXPECT_THAT(result.reason, HasSubstr("the medians are equivalent, yet"));
  EXPECT_THAT(result.reason, HasSubstr("p99 latency +"));
}

// Of other programs that held a tenth of the processors the means may show it all: 1 / 0.9.
TEST(ChangeLines, WhatOtherProgramsTookWidensMeans) {
  RunSample baseline = sample_of_iterations(mixed(0, 1, 1));
  RunSample test = sample_of_iterations(mixed(0.3, 1.5, 2));  // mean + 15 %
  EXPECT_EQ(line(compare(baseline, test), "mean_latency").verdict, Verdict::kRegressed);
  test.others_share = 0.1;
  EXPECT_EQ(line(compare(baseline, test), "mean_latency").verdict, Verdict::kInconclusive);
}

TEST(ChangeLines, AnOldBaselineHasNone) {
  const Comparison result = compare(test::sample_of({1e6, 1e6, 1e6, 1e6, 1e6}), sample_of_iterations(mixed(0, 1, 2)));
  EXPECT_TRUE(result.lines.empty());
  EXPECT_EQ(result.lines_unavailable, "the baseline holds the medians of its processes only");
  EXPECT_DOUBLE_EQ(result.interval_confidence, 0.98);
}

TEST(ChangeLines, ATailNeedsIterations) {
  Iterations few = mixed(0, 1, 1);
  few[2].resize(298);
  const Comparison result = compare(sample_of_iterations(few), sample_of_iterations(mixed(0, 1, 2)));
  EXPECT_EQ(line(result, "p99_latency").unavailable, "needs 299 iterations in each process");
  EXPECT_TRUE(line(result, "p90_latency").ratio);
  EXPECT_DOUBLE_EQ(result.interval_confidence, 0.984);
}

// A/A: heavy-tailed iterations, processes that differ by `sigma`, stalls that come to some processes. Interleaved, so
// that no margin helps. At a rate of 1 % each way more than 20 of 1000 have a probability below 0.1 %.
int false_calls(double sigma, double stall_rate, bool interleaved, Verdict verdict, int pairs) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  const auto side = [&] {
    Iterations processes(5);
    for (std::vector<double>& process : processes) {
      const double level = 1e6 * std::exp(sigma * normal(random));
      const double tail = 0.05 * std::exp(normal(random));
      for (int i = 0; i < 60; ++i) {
        process.push_back(level * std::exp(tail * std::abs(normal(random))) * (uniform(random) < stall_rate ? 10 : 1));
      }
    }
    return sample_of_iterations(processes);
  };
  int called = 0;
  for (int pair = 0; pair < pairs; ++pair) {
    RunSample baseline = side();
    RunSample test = side();
    baseline.interleave_group = test.interleave_group = interleaved ? "pairs" : "";
    called += compare(baseline, test).verdict == verdict ? 1 : 0;
  }
  return called;
}

TEST(ChangeLines, FalseAlarmsAreAtMostOnePercentOverAllLines) {
  for (const Verdict verdict : {Verdict::kRegressed, Verdict::kImproved}) {
    EXPECT_LE(false_calls(0.20, 0, true, verdict, 1000), 20);
    EXPECT_LE(false_calls(0.03, 0.02, true, verdict, 1000), 20);
    EXPECT_LE(false_calls(0.01, 0.02, false, verdict, 300), 1);
  }
}

// A/A of processes that fall into two modes 20 % apart.
TEST(ChangeLines, ModesOfProcessesGiveNoFalseAlarms) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal(0, 0.002);
  std::uniform_real_distribution<double> uniform;
  for (const double share : {0.5, 0.1}) {
    for (const size_t processes : {3U, 4U, 5U, 10U}) {
      int called = 0;
      const auto side = [&] {
        std::vector<double> medians;
        for (size_t i = 0; i < processes; ++i) {
          medians.push_back(1e6 * std::exp(normal(random)) * (uniform(random) < share ? 1.2 : 1));
        }
        return test::sample_of(medians);
      };
      for (int pair = 0; pair < 400; ++pair) {
        const Verdict verdict = compare(side(), side()).verdict;
        called += verdict == Verdict::kRegressed || verdict == Verdict::kImproved ? 1 : 0;
      }
      EXPECT_LE(called, 12) << processes << " processes, share " << share;  // 1 % each way
    }
  }
}

}  // namespace
}  // namespace aaco
