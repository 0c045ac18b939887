// SPDX-License-Identifier: MIT
#include "kind/queue_samples.h"

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

#include "base/json/json.h"
#include "kind/sweep/document/queue_sweep_document.h"
#include "verdict/pair_comparisons.h"
#include "verdict/test_samples.h"

namespace aaco {
namespace {

// A run of `streams` streams whose processes needed these times for an iteration of `units` units.
QueueRunDocument run_document(int streams, const std::vector<double>& process_ns, double units = 1,
                              const std::string& driver = "1.0") {
  QueueRunDocument run;
  run.created_utc = "2026-01-01T00:00:00Z";
  run.request.workload = "moe";
  run.request.parameters = {{"top_k", "2"}};
  run.request.devices = {"cpu:0"};
  run.request.streams = streams;
  run.request.emulated_ranks = 8;
  DeviceFacts device;
  device.name = "a processor";
  device.architecture = "x86-64";
  device.driver = driver;
  run.devices = {device};
  for (const double ns : process_ns) {
    QueueProcess process;
    process.iterations = 10;
    process.wall_ns = static_cast<int64_t>(10 * ns);
    process.p50_ns = ns;
    process.units_per_iteration = units;
    run.processes.push_back(process);
  }
  return run;
}

Json sweep_of(const std::vector<QueueRunDocument>& points) {
  QueueSweepDocument sweep;
  sweep.points = points;
  return Json(sweep);
}

PairComparisons compare_documents(const Json& baseline, const Json& test) {
  CompareOptions options;
  options.drift = 0.0;
  return compare_pairs(*queue_samples(baseline, "a"), *queue_samples(test, "b"), options);
}

// What the workload computes on: other sizes, other values, another part of a device.
TEST(QueueSamples, OtherWorkIsInvalidAndNamed) {
  const QueueRunDocument baseline = run_document(8, {1000, 1001, 999});
  const auto reason = [&](void (*change)(QueueRunDocument&)) {
    QueueRunDocument test = baseline;
    change(test);
    const PairComparisons result = compare_documents(baseline, test);
    EXPECT_EQ(result.pairs.at(0).comparison.verdict, Verdict::kInvalid);
    return result.pairs.at(0).comparison.reason;
  };
  EXPECT_THAT(reason([](auto& run) { run.request.seed = 7; }), testing::HasSubstr("request seed 1 / 7"));
  EXPECT_THAT(reason([](auto& run) { run.request.scale = "cpu"; }), testing::HasSubstr("sizes scale full / cpu"));
  EXPECT_THAT(reason([](auto& run) { run.devices[0].name = "another processor"; }), testing::HasSubstr("provider"));
  QueueRunDocument whole = baseline;
  whole.devices[0].id = "cuda:0";
  whole.devices[0].compute_units = 132;
  QueueRunDocument part = whole;
  part.devices[0].compute_units = 16;
  EXPECT_THAT(compare_documents(whole, part).pairs.at(0).comparison.reason,
              testing::HasSubstr("device cuda:0 132 compute units / 16 compute units"));
  Json older = baseline;
  older["request"].erase("scale");
  QueueRunDocument now = baseline;
  now.request.scale = "cpu";
  EXPECT_NE(compare_documents(older, now).pairs.at(0).comparison.verdict, Verdict::kInvalid) << "not recorded";
}

TEST(QueueSamples, AThirdSlowerIsARegression) {
  const PairComparisons result =
      compare_documents(run_document(8, {1000, 1001, 999, 1002, 998}), run_document(8, {1330, 1331, 1329, 1332, 1328}));
  ASSERT_EQ(result.pairs.size(), 1U);
  EXPECT_EQ(result.pairs[0].comparison.verdict, Verdict::kRegressed);
  EXPECT_NEAR(*result.pairs[0].comparison.ratio, 1.33, 1e-3);
  EXPECT_EQ(exit_code_of(result, false), 1);
}

TEST(QueueSamples, TheSameIsEquivalent) {
  const Json one = Json(run_document(8, {1000, 1001, 999, 1002, 998}));
  EXPECT_EQ(exit_code_of(compare_documents(one, one), false), 0);
}

TEST(QueueSamples, TwiceTheTimeForTwiceTheUnitsIsNoChange) {
  const PairComparisons result = compare_documents(run_document(8, {1000, 1001, 999, 1002, 998}, 4),
                                                   run_document(8, {2000, 2002, 1998, 2004, 1996}, 8));
  EXPECT_EQ(result.pairs[0].comparison.verdict, Verdict::kEquivalent);
}

TEST(QueueSamples, RunsArePairedByTheirStreamsNotTheirPlace) {
  const std::vector<double> fast{100, 101, 99};
  const std::vector<double> slow{200, 201, 199};
  const Json a = sweep_of({run_document(1, fast), run_document(2, slow)});
  const Json b = sweep_of({run_document(2, slow), run_document(4, slow)});
  const PairComparisons result = compare_documents(a, b);
  ASSERT_EQ(result.pairs.size(), 1U);
  EXPECT_EQ(result.pairs[0].configuration, "moe top_k=2, 2 streams, dispatch single, sync per_iteration");
  EXPECT_THAT(result.unpaired,
              testing::UnorderedElementsAre(testing::StartsWith("only in the baseline: moe top_k=2, 1"),
                                            testing::StartsWith("only in the test: moe top_k=2, 4")));
}

TEST(QueueSamples, AnotherDriverIsNamedAndNotComparedSilently) {
  const PairComparisons result =
      compare_documents(run_document(8, {1000, 1001, 999}), run_document(8, {1000, 1001, 999}, 1, "2.0"));
  EXPECT_EQ(result.pairs[0].comparison.verdict, Verdict::kInvalid);
  EXPECT_THAT(result.pairs[0].comparison.reason, testing::HasSubstr("driver 2.0"));
  EXPECT_EQ(exit_code_of(result, false), 4);
}

TEST(QueueSamples, TwoProcessesAreTooFew) {
  EXPECT_EQ(exit_code_of(compare_documents(run_document(8, {1000, 1001}), run_document(8, {2000, 2001})), false), 4);
}

TEST(QueueSamples, NothingInCommonIsNoSuccess) {
  const PairComparisons result = compare_documents(run_document(1, {1, 2, 3}), run_document(2, {1, 2, 3}));
  EXPECT_EQ(exit_code_of(result, false), 4);
}

TEST(QueueSamples, WhatStandsOnOneSideOnlyMakesItIncomplete) {
  const std::vector<double> same{1000, 1001, 999};
  const Json both = sweep_of({run_document(1, same), run_document(2, same)});
  const Json one = sweep_of({run_document(1, same)});
  CompareOptions options;
  options.drift = 0.0;
  EXPECT_EQ(exit_code_of(compare_documents(both, both), false), 0);
  EXPECT_EQ(exit_code_of(compare_documents(both, one), false), 4);
  EXPECT_EQ(exit_code_of(compare_documents(one, both), true), 4);
  options.allow_different = true;
  const PairComparisons accepted = compare_pairs(*queue_samples(both, "a"), *queue_samples(one, "b"), options);
  EXPECT_EQ(accepted.unpaired.size(), 1U);
  EXPECT_EQ(exit_code_of(accepted, false), 0);
  const Json slower = sweep_of({run_document(1, {2000, 2001, 1999})});
  EXPECT_EQ(exit_code_of(compare_documents(both, slower), false), 1);
}

// 4.5 standard errors beyond the minimum effect: p = 0.0054 with four degrees of freedom. Of two comparisons the
// smallest of four p-values is tested at 0.01 / 4.
TEST(QueueSamples, OneOfTwoNeedsMoreThanOneAlone) {
  const auto three = [](double ns) { return std::vector<double>{ns * std::exp(-0.01), ns, ns * std::exp(0.01)}; };
  const double slower = 1000 * 1.02 * std::exp(4.5 * 0.01 * std::sqrt(2.0 / 3));
  const PairComparisons alone = compare_documents(run_document(8, three(1000)), run_document(8, three(slower)));
  EXPECT_EQ(alone.pairs[0].comparison.verdict, Verdict::kRegressed);
  EXPECT_FALSE(alone.correction);
  const PairComparisons two =
      compare_documents(sweep_of({run_document(8, three(1000)), run_document(16, three(1000))}),
                        sweep_of({run_document(8, three(slower)), run_document(16, three(1000))}));
  EXPECT_EQ(two.pairs[0].comparison.verdict, Verdict::kInconclusive);
  EXPECT_EQ(two.pairs[0].alone, Verdict::kRegressed);
  EXPECT_DOUBLE_EQ(two.pairs[0].comparison.interval_confidence, 0.995);
  EXPECT_THAT(two.pairs[0].comparison.reason,
              testing::AllOf(testing::HasSubstr("processes a side"),
                             testing::HasSubstr("alone it would be regressed, of 2 comparisons it is not shown")));
  EXPECT_EQ(exit_code_of(two, false), 4);
  // t(0.9975, 4) / t(0.99, 4) = 5.598 / 3.747; 3.747 / sqrt(3) = 2.163 is above 4.317 / 2 of four processes (2.159).
  ASSERT_TRUE(two.correction);
  EXPECT_EQ(two.correction->pairs, 2);
  EXPECT_NEAR(two.correction->widening, 1.494, 1e-3);
  EXPECT_EQ(two.correction->processes, 3);
  EXPECT_EQ(two.correction->processes_needed, 4);
  EXPECT_DOUBLE_EQ(two.correction->minimum_detectable, *two.pairs[0].comparison.minimum_detectable);
}

// Forty configurations of five processes each, of which none changed but those that `change` says.
class ManyConfigurations {
 public:
  explicit ManyConfigurations(uint64_t seed) : random_(seed) {}

  PairComparisons compared(double change, double min_effect) {
    std::vector<NamedSample> baseline;
    std::vector<NamedSample> test;
    for (int64_t streams = 1; streams <= 40; ++streams) {
      baseline.push_back(run(streams, 1000));
      test.push_back(run(streams, streams == 7 ? 1000 * change : 1000));
    }
    CompareOptions options;
    options.drift = 0.0;
    options.min_effect = min_effect;
    return compare_pairs(baseline, test, options);
  }

 private:
  NamedSample run(int64_t streams, double ns) {
    NamedSample named{.name = std::to_string(streams), .sample = test::sample_of({}), .losses = {}};
    for (int process = 0; process < 5; ++process) {
      named.sample.process_medians_ns.push_back(ns * std::exp(0.01 * normal_(random_)));
    }
    return named;
  }

  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

bool is_change(Verdict verdict) { return verdict == Verdict::kRegressed || verdict == Verdict::kImproved; }

// Where nothing changed, and nothing is too small to matter: a call is a false one. Of one comparison at 1 % in each
// direction, of forty at 1 - 0.98^40 = 55 % if each is judged alone.
TEST(QueueSamples, OfManyComparisonsOneIsCalledWronglyInOneOfAHundredAtMost) {
  constexpr int kRounds = 500;
  ManyConfigurations configurations(20260101);
  int wrong = 0;
  int wrong_alone = 0;
  for (int round = 0; round < kRounds; ++round) {
    const PairComparisons result = configurations.compared(1, 1e-9);
    wrong += std::ranges::any_of(result.pairs, [](const auto& pair) { return is_change(pair.comparison.verdict); });
    wrong_alone += std::ranges::any_of(result.pairs, [](const auto& pair) { return is_change(pair.alone); });
  }
  EXPECT_LE(wrong, kRounds / 100);
  EXPECT_GT(wrong_alone, kRounds * 4 / 10);
  RecordProperty("wrong", wrong);
  RecordProperty("wrong_alone", wrong_alone);
}

TEST(QueueSamples, OfManyComparisonsAChangeOfATenthIsFound) {
  constexpr int kRounds = 200;
  ManyConfigurations configurations(7);
  int found = 0;
  for (int round = 0; round < kRounds; ++round) {
    const PairComparisons result = configurations.compared(1.10, 0.02);
    found += result.pairs[6].comparison.verdict == Verdict::kRegressed ? 1 : 0;
  }
  EXPECT_GT(found, kRounds * 95 / 100);
}

// Its wall time ends with the enqueueing. Where only the end is waited for, the wall time is that of the work.
TEST(QueueSamples, WhatNothingWaitedForHasNoTime) {
  QueueRunDocument run = run_document(8, {1000, 1001, 999});
  for (QueueProcess& process : run.processes) {
    process.p50_ns.reset();
  }
  run.request.sync_mode = "end_only";
  const auto samples = queue_samples(Json(run), "x.json");
  ASSERT_TRUE(samples) << samples.error().message;
  EXPECT_DOUBLE_EQ(samples->front().sample.process_medians_ns.front(), 1000);
  run.request.sync_mode = "none";
  for (const Json& document : {Json(run), sweep_of({run_document(1, {1, 2, 3}), run})}) {
    const auto refused = queue_samples(document, "x.json");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::kUsage);
    EXPECT_THAT(refused.error().message, testing::StartsWith("x.json: was measured with --sync-mode none"));
    EXPECT_THAT(refused.error().hint, testing::HasSubstr("--sync-mode per_iteration"));
  }
}

TEST(QueueSamples, OtherFilesAreRefusedByName) {
  EXPECT_EQ(queue_samples(Json::array(), "x.json").error().message, "x.json: not what aaco queue run or sweep wrote");
  EXPECT_EQ(queue_samples({{"kind", "queue_run"}}, "x.json").error().kind, ErrorKind::kUsage);
  Json odd = Json(run_document(1, {1, 2, 3}));
  odd["request"]["streams"] = "many";
  EXPECT_THAT(queue_samples(odd, "x.json").error().message, testing::StartsWith("x.json: "));
}

}  // namespace
}  // namespace aaco
