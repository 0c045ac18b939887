// SPDX-License-Identifier: MIT
#include "verdict/queue_compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/documents/queue_sweep_document.h"
#include "base/json.h"

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

QueueComparisons compare_documents(const Json& baseline, const Json& test) {
  CompareOptions options;
  options.drift = 0.0;
  return compare_queues(*queue_samples(baseline, "a"), *queue_samples(test, "b"), options);
}

TEST(QueueCompare, AThirdSlowerIsARegression) {
  const QueueComparisons result =
      compare_documents(run_document(8, {1000, 1001, 999, 1002, 998}), run_document(8, {1330, 1331, 1329, 1332, 1328}));
  ASSERT_EQ(result.pairs.size(), 1U);
  EXPECT_EQ(result.pairs[0].comparison.verdict, Verdict::kRegressed);
  EXPECT_NEAR(*result.pairs[0].comparison.ratio, 1.33, 1e-3);
  EXPECT_EQ(exit_code_of(result, false), 1);
}

TEST(QueueCompare, TheSameIsEquivalent) {
  const Json one = Json(run_document(8, {1000, 1001, 999, 1002, 998}));
  EXPECT_EQ(exit_code_of(compare_documents(one, one), false), 0);
}

TEST(QueueCompare, TwiceTheTimeForTwiceTheUnitsIsNoChange) {
  const QueueComparisons result = compare_documents(run_document(8, {1000, 1001, 999, 1002, 998}, 4),
                                                    run_document(8, {2000, 2002, 1998, 2004, 1996}, 8));
  EXPECT_EQ(result.pairs[0].comparison.verdict, Verdict::kEquivalent);
}

TEST(QueueCompare, RunsArePairedByTheirStreamsNotTheirPlace) {
  const std::vector<double> fast{100, 101, 99};
  const std::vector<double> slow{200, 201, 199};
  const Json a = sweep_of({run_document(1, fast), run_document(2, slow)});
  const Json b = sweep_of({run_document(2, slow), run_document(4, slow)});
  const QueueComparisons result = compare_documents(a, b);
  ASSERT_EQ(result.pairs.size(), 1U);
  EXPECT_EQ(result.pairs[0].configuration, "moe top_k=2, 2 streams, dispatch single, sync per_iteration");
  EXPECT_THAT(result.unpaired,
              testing::UnorderedElementsAre(testing::StartsWith("only in the baseline: moe top_k=2, 1"),
                                            testing::StartsWith("only in the test: moe top_k=2, 4")));
}

TEST(QueueCompare, AnotherDriverIsNamedAndNotComparedSilently) {
  const QueueComparisons result =
      compare_documents(run_document(8, {1000, 1001, 999}), run_document(8, {1000, 1001, 999}, 1, "2.0"));
  EXPECT_EQ(result.pairs[0].comparison.verdict, Verdict::kInvalid);
  EXPECT_THAT(result.pairs[0].comparison.reason, testing::HasSubstr("driver 2.0"));
  EXPECT_EQ(exit_code_of(result, false), 4);
}

TEST(QueueCompare, TwoProcessesAreTooFew) {
  EXPECT_EQ(exit_code_of(compare_documents(run_document(8, {1000, 1001}), run_document(8, {2000, 2001})), false), 4);
}

TEST(QueueCompare, NothingInCommonIsNoSuccess) {
  const QueueComparisons result = compare_documents(run_document(1, {1, 2, 3}), run_document(2, {1, 2, 3}));
  EXPECT_EQ(exit_code_of(result, false), 4);
}

TEST(QueueCompare, OtherFilesAreRefusedByName) {
  EXPECT_EQ(queue_samples(Json::array(), "x.json").error().message, "x.json: not what aaco queue run or sweep wrote");
  EXPECT_EQ(queue_samples({{"kind", "queue_run"}}, "x.json").error().kind, ErrorKind::kUsage);
  Json odd = Json(run_document(1, {1, 2, 3}));
  odd["request"]["streams"] = "many";
  EXPECT_THAT(queue_samples(odd, "x.json").error().message, testing::StartsWith("x.json: "));
}

}  // namespace
}  // namespace aaco
