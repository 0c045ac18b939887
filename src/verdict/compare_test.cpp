// SPDX-License-Identifier: MIT
#include "verdict/compare.h"

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <random>

#include "verdict/change/drift_margin.h"
#include "verdict/test_samples.h"

namespace aaco {
namespace {

using test::HierarchicalNoise;
using test::sample_of;
using testing::HasSubstr;

CompareOptions without_drift() {
  CompareOptions options;
  options.drift = 0;
  options.drift_source = "test";
  return options;
}

// Logarithms of the baseline: -s, 0, s; of the test: the same plus d. Variance s^2 a side, standard error s sqrt(2/3),
// Satterthwaite's degrees 4: t(0.99, 4) = 3.746947, t(0.95, 4) = 2.131847.
std::vector<double> three(double centre, double s) { return {centre * std::exp(-s), centre, centre * std::exp(s)}; }

TEST(Compare, SequentialIntervalIsWelchOnLogarithms) {
  const double s = 0.01;
  const double d = std::log(1.10);
  const Comparison result = compare(sample_of(three(1000, s)), sample_of(three(1100, s)), without_drift());
  const double half = 3.746947 * s * std::sqrt(2.0 / 3);
  EXPECT_FALSE(result.interleaved);
  EXPECT_NEAR(*result.ratio, 1.10, 1e-12);
  EXPECT_NEAR(result.interval->low, std::exp(d - half), 1e-7);
  EXPECT_NEAR(result.interval->high, std::exp(d + half), 1e-7);
  EXPECT_NEAR(result.equivalence_interval->high, std::exp(d + 2.131847 * s * std::sqrt(2.0 / 3)), 1e-7);
  EXPECT_EQ(result.verdict, Verdict::kRegressed);
}

TEST(Compare, ConfidenceIsOneMinusTheOneSidedP) {
  // Student's t with 4 degrees in closed form: F(t) = 1/2 + (3/4) (u - u^3 / 3) with u = t / sqrt(4 + t^2).
  const Comparison result = compare(sample_of(three(1000, 0.01)), sample_of(three(1100, 0.01)), without_drift());
  const double t = (std::log(1.10) - std::log(1.02)) / (0.01 * std::sqrt(2.0 / 3));
  const double u = t / std::sqrt(4 + t * t);
  EXPECT_NEAR(*result.confidence, 0.5 + 0.75 * (u - u * u * u / 3), 1e-9);
}

TEST(Compare, InterleavedPairsCancelWhatTheyShare) {
  // Processes differ by 20 %, pairs by exactly 5 % give or take nothing: only a paired comparison sees it.
  const std::vector<double> levels{1000, 1200, 900, 1100, 1300};
  std::vector<double> slower;
  for (const double level : levels) {
    slower.push_back(1.05 * level);
  }
  RunSample baseline = sample_of(levels);
  RunSample test = sample_of(slower);
  EXPECT_EQ(compare(baseline, test).verdict, Verdict::kInconclusive);
  baseline.interleave_group = test.interleave_group = "pairs";
  const Comparison result = compare(baseline, test);
  EXPECT_TRUE(result.interleaved);
  EXPECT_FALSE(result.drift);
  EXPECT_EQ(result.verdict, Verdict::kRegressed);
  EXPECT_NEAR(*result.ratio, 1.05, 1e-12);
}

TEST(Compare, FourVerdictsByTheInterval) {
  const auto verdict_at = [](double ratio, double s) {
    return compare(sample_of(three(1000, s)), sample_of(three(1000 * ratio, s)), without_drift()).verdict;
  };
  EXPECT_EQ(verdict_at(1.10, 0.005), Verdict::kRegressed);
  EXPECT_EQ(verdict_at(0.90, 0.005), Verdict::kImproved);
  EXPECT_EQ(verdict_at(1.005, 0.005), Verdict::kEquivalent);
  EXPECT_EQ(verdict_at(1.02, 0.005), Verdict::kInconclusive);  // on the margin itself
  EXPECT_EQ(verdict_at(1.00, 0.05), Verdict::kInconclusive);   // noise is not equivalence
  EXPECT_EQ(verdict_at(1.10, 0.05), Verdict::kInconclusive);   // nor is it a regression
}

TEST(Compare, EquivalenceNeedsTheNinetyPercentInterval) {
  // half90 = 2.131847 s sqrt(2/3) meets ln 1.02 - ln(ratio) at this s for ratio 1.
  const double edge = std::log(1.02) / (2.131847 * std::sqrt(2.0 / 3));
  const auto verdict_at = [](double s) {
    return compare(sample_of(three(1000, s)), sample_of(three(1000, s)), without_drift()).verdict;
  };
  EXPECT_EQ(verdict_at(edge * 0.99), Verdict::kEquivalent);
  EXPECT_EQ(verdict_at(edge * 1.01), Verdict::kInconclusive);
}

TEST(Compare, DriftWidensASequentialIntervalOnly) {
  RunSample baseline = sample_of(three(1000, 0.001));
  RunSample test = sample_of(three(1060, 0.001));
  CompareOptions options = without_drift();
  EXPECT_EQ(compare(baseline, test, options).verdict, Verdict::kRegressed);
  options.drift = 0.05;
  const Comparison drifted = compare(baseline, test, options);
  EXPECT_EQ(drifted.verdict, Verdict::kInconclusive);
  EXPECT_THAT(drifted.drift_source, HasSubstr("measured: test"));
  EXPECT_NEAR(drifted.interval->low * 1.05, compare(baseline, test, without_drift()).interval->low, 1e-12);
  baseline.interleave_group = test.interleave_group = "pairs";
  EXPECT_EQ(compare(baseline, test, options).verdict, Verdict::kRegressed);
}

// The bound from bench/results, or the spread between processes where it is larger; of constant times nothing.
TEST(Compare, WithoutMeasuredDriftABoundStandsIn) {
  const Comparison result = compare(sample_of(three(1000, 0.01)), sample_of(three(1000, 0.01)));
  EXPECT_NEAR(*result.drift, kUnmeasuredDrift, 1e-12);
  EXPECT_THAT(result.drift_source, HasSubstr("not measured (run bench/aa.py --output aa.json --save-drift FILE)"));
  EXPECT_THAT(result.drift_source, HasSubstr("measured in turns need no margin"));
  EXPECT_NEAR(*compare(sample_of(three(1000, 0.2)), sample_of(three(1000, 0.2))).drift, std::expm1(0.2), 1e-12);
  EXPECT_EQ(*compare(sample_of({7, 7, 7, 7}), sample_of({9, 9, 9, 9})).drift, 0);
}

// Sessions whose processes agree to 0.2 %, and that lie 4 % apart: drift of an idle machine explains it. 20 % it does
// not.
TEST(Compare, AChangeThatDriftExplainsIsInconclusive) {
  const auto slower = [](double ratio) {
    const std::vector<double> baseline{1000, 1002, 998, 1001, 999};
    std::vector<double> test;
    for (const double value : {1000.0, 1001.0, 999.0, 1000.5, 999.5}) {
      test.push_back(ratio * value);
    }
    return compare(sample_of(baseline), sample_of(test));
  };
  const Comparison drifted = slower(1.04);
  EXPECT_EQ(drifted.verdict, Verdict::kInconclusive);
  EXPECT_THAT(drifted.reason, HasSubstr("measure both sides in turns"));
  EXPECT_LT(*drifted.confidence, 0.5);
  EXPECT_EQ(slower(0.96).verdict, Verdict::kInconclusive);
  const Comparison comparison = slower(1.20);
  EXPECT_EQ(comparison.verdict, Verdict::kRegressed);
  EXPECT_LE(*comparison.confidence, 0.99) << "one of a hundred pairs drifts further";
  EXPECT_EQ(slower(0.80).verdict, Verdict::kImproved);
}

// Equal values have no spread, and no drift is made up for them.
TEST(Compare, ConstantTimesAreComparedAsTheyAre) {
  EXPECT_EQ(compare(sample_of({1000, 1000, 1000, 1000, 1000}), sample_of({1050, 1050, 1050, 1050, 1050})).verdict,
            Verdict::kRegressed);
  EXPECT_EQ(compare(sample_of({1000, 1000, 1000, 1000, 1000}), sample_of({1000, 1000, 1000, 1000, 1000})).verdict,
            Verdict::kEquivalent);
}

// Three processes in the fast mode and three in the slow one: by chance in 2 / 2^6 of pairs. Four and four: in 2 / 2^8.
TEST(Compare, ThreeProcessesASideMayHaveFallenIntoTwoModes) {
  const Comparison three_each = compare(sample_of({1000, 1002, 998}), sample_of({1200, 1202, 1198}));
  EXPECT_EQ(three_each.verdict, Verdict::kInconclusive);
  EXPECT_THAT(three_each.reason, HasSubstr("part 3 and 3 processes so in 3.1 % of pairs; needs 4 processes a side"));
  EXPECT_EQ(three_each.processes_needed, 4);
  EXPECT_EQ(compare(sample_of({1000, 1002, 998, 1001}), sample_of({1200, 1202, 1198, 1201})).verdict,
            Verdict::kRegressed);
  EXPECT_EQ(compare(sample_of({1000, 1002, 998}), sample_of({2000, 2002, 1998})).verdict, Verdict::kRegressed);
}

// One process of five at three times the latency: geometric means say -12 %, where all others are 10 % slower.
TEST(Compare, AnOddProcessIsNamedAndDoesNotTurnTheSign) {
  const std::vector<double> baseline{1000, 1002, 998, 1001, 3000};
  const auto against = [&](double ratio) {
    std::vector<double> test;
    for (const double value : {1000.0, 1002.0, 998.0, 1001.0, 999.0}) {
      test.push_back(ratio * value);
    }
    return compare(sample_of(baseline), sample_of(test));
  };
  const Comparison result = against(1.1);
  EXPECT_EQ(result.verdict, Verdict::kInconclusive);
  EXPECT_NEAR(*result.ratio, 1.1, 0.003);
  EXPECT_THAT(
      result.warnings,
      testing::Contains(HasSubstr("process 4 of the baseline is odd: 3.000 us, the others 998.0 ns to 1.002 us")));
  EXPECT_THAT(result.reason, HasSubstr("process 4 of the baseline"));
  EXPECT_THAT(result.reason, HasSubstr("measure both sides in turns")) << "drift explains 10 %";
  const Comparison doubled = against(2);
  EXPECT_EQ(doubled.verdict, Verdict::kInconclusive);
  EXPECT_NEAR(*doubled.ratio, 2, 0.01);
  EXPECT_EQ(doubled.processes_needed, 11);
  // In the test, where nothing changed.
  const Comparison odd_test = compare(sample_of({1000, 1002, 998, 1001, 999}), sample_of(baseline));
  EXPECT_EQ(odd_test.verdict, Verdict::kInconclusive);
  EXPECT_NEAR(*odd_test.ratio, 1, 0.003);
}

// One of ten cannot: 10 of 100 differences are its own, and 20 may be inverted by chance in 1 % of cases.
TEST(Compare, WithTenProcessesOneOddOneDoesNotHideAChange) {
  std::vector<double> baseline;
  std::vector<double> test;
  for (int i = 0; i < 10; ++i) {
    baseline.push_back(i == 4 ? 3000 : 1000 + i);
    test.push_back(1200 + i);
  }
  const Comparison result = compare(sample_of(baseline), sample_of(test));
  EXPECT_EQ(result.verdict, Verdict::kRegressed) << result.reason;
  EXPECT_NEAR(*result.ratio, 1.2, 0.01);
}

TEST(Compare, FewerThanThreeProcessesIsInconclusiveAndSaysWhatItNeeds) {
  const Comparison result = compare(sample_of({1000, 1001}), sample_of(three(2000, 0.001)));
  EXPECT_EQ(result.verdict, Verdict::kInconclusive);
  EXPECT_EQ(result.processes_needed, 3);
  EXPECT_FALSE(result.ratio);
  EXPECT_THAT(result.reason, HasSubstr("needs 3 a side"));
}

TEST(Compare, InconclusiveTellsHowManyProcessesWouldDecide) {
  // The change is beyond by ln 1.10 - ln 1.02 = 0.0755. With n a side the interval reaches t(0.99, 2n - 2) 0.05
  // sqrt(2/n) far: 0.0798 with six (t = 2.764), 0.0717 with seven (2.681).
  const Comparison result = compare(sample_of(three(1000, 0.05)), sample_of(three(1100, 0.05)), without_drift());
  EXPECT_EQ(result.processes_needed, 7);
  EXPECT_THAT(result.reason, HasSubstr("processes a side"));
}

// 0.4 % apart where 2 % count: more processes show that they are equivalent. The margin of 9 % for drift stays, so that
// the interval closes in turns alone.
TEST(Compare, AnIntervalThatDriftHoldsOpenIsClosedByTurns) {
  const Comparison apart = compare(sample_of(three(1000, 0.01)), sample_of(three(1004, 0.01)));
  EXPECT_EQ(apart.verdict, Verdict::kInconclusive);
  ASSERT_TRUE(apart.processes_needed);
  EXPECT_THAT(apart.reason, HasSubstr("the drift margin (9.0 %) holds that interval open"));
  EXPECT_THAT(apart.reason, HasSubstr("measure both sides in turns"));
  EXPECT_THAT(apart.reason, HasSubstr("could show equivalence, and nothing else"));
  EXPECT_THAT(apart.reason, testing::Not(HasSubstr("would settle it")));
  // 15 % apart the margin leaves a change, and more processes show it.
  const Comparison beyond = compare(sample_of(three(1000, 0.06)), sample_of(three(1150, 0.06)));
  EXPECT_EQ(beyond.verdict, Verdict::kInconclusive);
  EXPECT_THAT(beyond.reason, HasSubstr("processes a side would settle it"));
  const Comparison no_drift = compare(sample_of(three(1000, 0.01)), sample_of(three(1004, 0.01)), without_drift());
  EXPECT_THAT(no_drift.reason, HasSubstr("processes a side would settle it"));
}

// t(0.99, 4) = 3.747 and t(0.9975, 4) = 5.598: 4.5 standard errors beyond the minimum effect are enough for one only.
TEST(Compare, ALowerLevelAsksForAWiderInterval) {
  const double slower = 1000 * 1.02 * std::exp(4.5 * 0.01 * std::sqrt(2.0 / 3));
  CompareOptions options = without_drift();
  const Comparison alone = compare(sample_of(three(1000, 0.01)), sample_of(three(slower, 0.01)), options);
  EXPECT_EQ(alone.verdict, Verdict::kRegressed);
  EXPECT_DOUBLE_EQ(alone.interval_confidence, 0.98);
  EXPECT_NEAR(*alone.change_p, 0.005412, 1e-5);
  EXPECT_NEAR(*alone.change_p, 1 - *alone.confidence, 1e-12);
  options.level = 0.0025;
  const Comparison of_many = compare(sample_of(three(1000, 0.01)), sample_of(three(slower, 0.01)), options);
  EXPECT_EQ(of_many.verdict, Verdict::kInconclusive);
  EXPECT_DOUBLE_EQ(of_many.interval_confidence, 0.995);
  EXPECT_DOUBLE_EQ(*of_many.change_p, *alone.change_p);
  EXPECT_THAT(of_many.reason, HasSubstr("99.5 % interval"));
  EXPECT_GT(*of_many.minimum_detectable, *alone.minimum_detectable);
}

TEST(Compare, NoNumberOfProcessesDecidesWithinTheDrift) {
  CompareOptions options = without_drift();
  options.drift = 0.05;
  const Comparison result = compare(sample_of(three(1000, 0.001)), sample_of(three(1030, 0.001)), options);
  EXPECT_EQ(result.verdict, Verdict::kInconclusive);
  EXPECT_FALSE(result.processes_needed);
  EXPECT_THAT(result.reason, HasSubstr("more processes will not help"));
}

// In a crowd the machine's speed changes between two sessions by more than their processes show: interleaved ones share
// it.
TEST(Compare, ACrowdInvalidatesSessionsRecordedApart) {
  RunSample baseline = sample_of(three(1000, 0.001));
  RunSample test = sample_of(three(1200, 0.001));
  test.others_share = 0.25;
  EXPECT_EQ(compare(baseline, test, without_drift()).verdict, Verdict::kRegressed);
  test.others_share = 0.26;
  const Comparison apart = compare(baseline, test, without_drift());
  EXPECT_EQ(apart.verdict, Verdict::kInvalid);
  EXPECT_THAT(apart.reason,
              HasSubstr("crowded: other programs held 26 % of the machine's processors while the test was measured"));
  EXPECT_THAT(apart.reason, HasSubstr("those that are measured in turns can"));
  baseline.interleave_group = test.interleave_group = "pair";
  EXPECT_EQ(compare(baseline, test, without_drift()).verdict, Verdict::kRegressed);
}

TEST(Compare, SeverityByTheRatio) {
  const auto severity_at = [](double ratio) {
    return compare(sample_of(three(1000, 0.0001)), sample_of(three(1000 * ratio, 0.0001)), without_drift()).severity;
  };
  EXPECT_EQ(severity_at(1.00), Severity::kNone);
  EXPECT_EQ(severity_at(0.50), Severity::kNone);
  EXPECT_EQ(severity_at(1.05), Severity::kLow);
  EXPECT_EQ(severity_at(1.11), Severity::kMedium);
  EXPECT_EQ(severity_at(1.21), Severity::kHigh);
  EXPECT_EQ(severity_at(1.51), Severity::kCritical);
}

TEST(Compare, ClocksThatWereHeldDownMakeItInvalid) {
  const RunSample baseline = sample_of(three(1000, 0.001));
  RunSample test = baseline;
  test.throttled_share = 0.05;  // a moment, and not the run
  EXPECT_NE(compare(baseline, test).verdict, Verdict::kInvalid);
  test.throttled_share = 0.4;
  test.throttled_words = "the clock of 0000:1b:00.0 was held down in 40 % of the samples (sw_power_cap 40 %)";
  const Comparison held = compare(baseline, test);
  EXPECT_EQ(held.verdict, Verdict::kInvalid);
  EXPECT_EQ(held.reason,
            "throttled: while the test was measured, the clock of 0000:1b:00.0 was held down in 40 % of the samples "
            "(sw_power_cap 40 %)");
  EXPECT_FALSE(held.interval);
  EXPECT_EQ(compare(test, baseline).verdict, Verdict::kInvalid);
  CompareOptions options;
  options.allow_different = true;
  const Comparison forced = compare(baseline, test, options);
  EXPECT_NE(forced.verdict, Verdict::kInvalid);
  ASSERT_EQ(forced.warnings.size(), 1U);
  EXPECT_THAT(forced.warnings[0], testing::StartsWith("throttled: while the test was measured"));
}

TEST(Compare, WhatCannotBeComparedIsInvalidAndNamed) {
  const RunSample good = sample_of(three(1000, 0.001));
  const auto reason_with = [&](const auto& change) {
    RunSample bad = good;
    change(bad);
    const Comparison result = compare(good, bad);
    EXPECT_EQ(result.verdict, Verdict::kInvalid);
    EXPECT_FALSE(result.confidence);
    return result.reason;
  };
  EXPECT_THAT(reason_with([](RunSample& s) { s.status = SessionStatus::kIncomplete; }),
              HasSubstr("the test session is incomplete"));
  EXPECT_THAT(reason_with([](RunSample& s) {
                s.status = SessionStatus::kFailed;
                s.status_reason = "no memory";
              }),
              HasSubstr("failed: no memory"));
  EXPECT_THAT(reason_with([](RunSample& s) { s.outputs_finite = false; }), HasSubstr("NaN"));
  EXPECT_THAT(reason_with([](RunSample& s) { s.process_medians_ns.clear(); }), HasSubstr("no measured latencies"));
  EXPECT_THAT(reason_with([](RunSample& s) { s.process_medians_ns[0] = 0; }), HasSubstr("no duration"));
  EXPECT_THAT(reason_with([](RunSample& s) { s.process_medians_ns[0] = std::numeric_limits<double>::quiet_NaN(); }),
              HasSubstr("no duration"));
  EXPECT_THAT(reason_with([](RunSample& s) { s.phase = "decode"; }), HasSubstr("decode"));
  EXPECT_THAT(reason_with([](RunSample& s) { s.configuration.batch = 8; }), HasSubstr("batch 1 / 8"));
  EXPECT_THAT(reason_with([](RunSample& s) { s.configuration.model_sha256 = "bb"; }),
              HasSubstr("model_sha256 aa / bb"));
  EXPECT_THAT(reason_with([](RunSample& s) { s.configuration.precision = "fp16"; }),
              HasSubstr("precision fp32 / fp16"));
}

TEST(Compare, DifferentConfigurationsAreComparedWhenAskedAndStillNamed) {
  const RunSample baseline = sample_of(three(1000, 0.001));
  RunSample test = sample_of(three(1200, 0.001));
  test.configuration.model_sha256 = "bb";
  CompareOptions options = without_drift();
  options.allow_different = true;
  const Comparison result = compare(baseline, test, options);
  EXPECT_EQ(result.verdict, Verdict::kRegressed);
  ASSERT_EQ(result.configuration_differences.size(), 1u);
  EXPECT_EQ(result.configuration_differences[0].field, "model_sha256");
  EXPECT_THAT(result.warnings, testing::Contains(HasSubstr("model_sha256 aa / bb")));
}

// Where both sides know the shapes of their inputs it is these that count, however they were given.
TEST(Compare, OtherShapesOfInputsAreAnotherThing) {
  RunSample baseline = sample_of(three(1000, 0.001));
  RunSample test = sample_of(three(1000, 0.001));
  baseline.configuration.input_shapes = {{"ids", {1, 128}}, {"x", {1, 3, 48, 192}}};
  test.configuration.input_shapes = {{"ids", {1, 128}}, {"x", {1, 3, 48, 320}}};
  const Comparison other = compare(baseline, test);
  EXPECT_EQ(other.verdict, Verdict::kInvalid);
  EXPECT_THAT(other.reason, HasSubstr("(baseline / test): input_shapes x=1x3x48x192 / x=1x3x48x320"));
  test.configuration.input_shapes = baseline.configuration.input_shapes;
  test.configuration.dims["width"] = 192;  // by its name, where the baseline had --shape
  EXPECT_TRUE(compare(baseline, test).configuration_differences.empty());
  // A session of before shapes were recorded: what it had by name counts as it did.
  baseline.configuration.input_shapes.clear();
  EXPECT_THAT(compare(baseline, test).reason, HasSubstr("dims {} / {\"width\":192}"));
}

TEST(Compare, WarnsWhenMostProcessesNeverBecameStationary) {
  RunSample test = sample_of(three(1000, 0.001));
  test.stationary_processes = 1;
  const Comparison result = compare(sample_of(three(1000, 0.001)), test);
  EXPECT_THAT(result.warnings, testing::ElementsAre(HasSubstr("test: warm-up became stationary in 1 of 3")));
}

TEST(Compare, TheOrderOfSequentialProcessesDoesNotMatter) {
  std::mt19937_64 random(5);
  std::vector<double> a = HierarchicalNoise{}.medians(1e6, 6, random);
  std::vector<double> b = HierarchicalNoise{}.medians(1.03e6, 5, random);
  const Comparison first = compare(sample_of(a), sample_of(b));
  for (int i = 0; i < 20; ++i) {
    std::ranges::shuffle(a, random);
    std::ranges::shuffle(b, random);
    const Comparison again = compare(sample_of(a), sample_of(b));
    EXPECT_EQ(again.verdict, first.verdict);
    EXPECT_NEAR(again.interval->low, first.interval->low, 1e-12);
  }
}

// 2000 A/A comparisons: with a true rate of 1 %, more than 34 alarms have a probability below 0.1 % (binomial).
int alarms(double process_sigma, double ratio, bool interleaved, const CompareOptions& options, int comparisons) {
  std::mt19937_64 random(42);
  HierarchicalNoise noise;
  noise.process_sigma = process_sigma;
  int regressed = 0;
  for (int i = 0; i < comparisons; ++i) {
    RunSample baseline = sample_of(noise.medians(1e6, 5, random));
    RunSample test = sample_of(noise.medians(ratio * 1e6, 5, random));
    baseline.interleave_group = test.interleave_group = interleaved ? "pairs" : "";
    regressed += compare(baseline, test, options).verdict == Verdict::kRegressed ? 1 : 0;
  }
  return regressed;
}

TEST(Compare, FalseAlarmsAreAtMostOnePercent) {
  EXPECT_EQ(alarms(0.01, 1, false, {}, 2000), 0);
  EXPECT_LE(alarms(0.01, 1, true, {}, 2000), 2);
  // Noise far above the minimum effect: there the one-sided 1 % of the interval is all that guards.
  EXPECT_LE(alarms(0.20, 1, false, without_drift(), 2000), 34);
  EXPECT_LE(alarms(0.20, 1, true, {}, 2000), 34);
}

TEST(Compare, TenPercentIsFound) {
  CompareOptions measured;
  measured.drift = 0.01;
  EXPECT_GE(alarms(0.01, 1.10, false, measured, 200), 195);
  EXPECT_GE(alarms(0.01, 1.10, true, {}, 200), 195);
}

TEST(Compare, TwentyPercentIsFoundOnAMachineOfUnknownDrift) { EXPECT_GE(alarms(0.01, 1.20, false, {}, 200), 195); }

}  // namespace
}  // namespace aaco
