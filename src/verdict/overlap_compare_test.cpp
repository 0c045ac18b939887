// SPDX-License-Identifier: MIT
#include "verdict/overlap_compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aaco {
namespace {

using ::testing::HasSubstr;

// No drift between both, so that the intervals are those of the processes.
CompareOptions options() {
  CompareOptions options;
  options.drift = 0;
  options.drift_source = "none, in a test";
  return options;
}

CopyDocument copies_of(const std::vector<CopyTimes>& processes) {
  CopyDocument document;
  document.request.matrix_size = 256;
  document.request.copy_mb = 4;
  document.device_name = "a device";
  document.directions = {copy_figures(CopyDirection::kDeviceToHost, processes)};
  return document;
}

TEST(CompareCopies, EachVariantIsAPair) {
  const CopyDocument before = copies_of({{150, 110, 100, 50}, {151, 111, 101, 50.1}, {149, 109, 99, 49.9}});
  const CopyDocument after = copies_of({{150, 121, 100, 50}, {151, 122, 101, 50.1}, {149, 120, 99, 49.9}});
  const PairComparisons found = compare_copies(before, after, options());
  ASSERT_EQ(found.pairs.size(), 4);
  EXPECT_EQ(found.pairs[0].configuration, "d2h, serial");
  EXPECT_NEAR(*found.pairs[0].comparison.ratio, 1, 1e-12);
  EXPECT_EQ(found.pairs[1].configuration, "d2h, overlapped");
  EXPECT_NEAR(*found.pairs[1].comparison.ratio, 1.1, 1e-3);
  EXPECT_EQ(found.pairs[1].comparison.verdict, Verdict::kRegressed);
  EXPECT_EQ(exit_code_of(found, true), 1);
}

TEST(CompareCopies, OtherSizesAreNotCompared) {
  const CopyDocument before = copies_of({{15, 11, 10, 5}, {15, 11, 10, 5}, {15, 11, 10, 5}});
  CopyDocument after = before;
  after.request.copy_mb = 8;
  const PairComparisons found = compare_copies(before, after, options());
  ASSERT_EQ(found.pairs.size(), 4);
  EXPECT_EQ(found.pairs[0].comparison.verdict, Verdict::kInvalid);
}

OverlapSweepPoint point_of(const std::string& change, std::vector<double> step_ns) {
  OverlapSweepPoint point;
  point.change = change;
  point.step_ns = std::move(step_ns);
  return point;
}

TEST(CompareOverlapSweeps, EachChangeIsAPair) {
  OverlapSweep before = judge_sweep({point_of("", {100, 101, 99}), point_of("a=1", {80, 81, 79})}, 3);
  before.devices = {"cpu:0", "cpu:1"};
  OverlapSweep after = judge_sweep({point_of("", {100, 101, 99}), point_of("a=1", {96, 97, 95})}, 3);
  after.devices = before.devices;
  const PairComparisons found = compare_overlap_sweeps(before, after, options());
  ASSERT_EQ(found.pairs.size(), 2);
  EXPECT_EQ(found.pairs[0].configuration, "as it is");
  EXPECT_EQ(found.pairs[1].comparison.verdict, Verdict::kRegressed);
  EXPECT_NEAR(*found.pairs[1].comparison.ratio, 1.2, 1e-3);
  after.devices = {"cpu:0"};
  EXPECT_EQ(compare_overlap_sweeps(before, after, options()).pairs[0].comparison.verdict, Verdict::kInvalid);
}

TEST(CompareOverlapSweeps, AFailedPointIsInvalidWithItsReason) {
  OverlapSweepPoint failed = point_of("a=1", {});
  failed.failure = "out of memory";
  const OverlapSweep before = judge_sweep({point_of("", {100, 101, 99}), point_of("a=1", {80, 81, 79})}, 3);
  const OverlapSweep after = judge_sweep({point_of("", {100, 101, 99}), failed}, 3);
  const PairComparisons found = compare_overlap_sweeps(before, after, options());
  EXPECT_EQ(found.pairs[1].comparison.verdict, Verdict::kInvalid);
  EXPECT_THAT(found.pairs[1].comparison.reason, HasSubstr("out of memory"));
}

}  // namespace
}  // namespace aaco
