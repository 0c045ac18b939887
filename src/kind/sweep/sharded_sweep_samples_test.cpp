// SPDX-License-Identifier: MIT
#include "kind/sweep/sharded_sweep_samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "verdict/pair_comparisons.h"

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

ShardedSweepPoint point_of(const std::string& change, std::vector<double> step_ns) {
  ShardedSweepPoint point;
  point.change = change;
  point.step_ns = std::move(step_ns);
  return point;
}

TEST(OverlapSweepSamples, EachChangeIsAPair) {
  ShardedSweep before = judge_sweep({point_of("", {100, 101, 99}), point_of("a=1", {80, 81, 79})}, 3);
  before.devices = {"cpu:0", "cpu:1"};
  ShardedSweep after = judge_sweep({point_of("", {100, 101, 99}), point_of("a=1", {96, 97, 95})}, 3);
  after.devices = before.devices;
  const PairComparisons comparisons = compare_pairs(samples_of(before), samples_of(after), options());
  ASSERT_EQ(comparisons.pairs.size(), 2);
  EXPECT_EQ(comparisons.pairs[0].configuration, "as it is");
  EXPECT_EQ(comparisons.pairs[1].comparison.verdict, Verdict::kRegressed);
  EXPECT_NEAR(*comparisons.pairs[1].comparison.ratio, 1.2, 1e-3);
  after.devices = {"cpu:0"};
  EXPECT_EQ(compare_pairs(samples_of(before), samples_of(after), options()).pairs[0].comparison.verdict,
            Verdict::kInvalid);
}

TEST(OverlapSweepSamples, AFailedPointIsInvalidWithItsReason) {
  ShardedSweepPoint failed = point_of("a=1", {});
  failed.failure = "out of memory";
  const ShardedSweep before = judge_sweep({point_of("", {100, 101, 99}), point_of("a=1", {80, 81, 79})}, 3);
  const ShardedSweep after = judge_sweep({point_of("", {100, 101, 99}), failed}, 3);
  const PairComparisons comparisons = compare_pairs(samples_of(before), samples_of(after), options());
  EXPECT_EQ(comparisons.pairs[1].comparison.verdict, Verdict::kInvalid);
  EXPECT_THAT(comparisons.pairs[1].comparison.reason, HasSubstr("out of memory"));
}

}  // namespace
}  // namespace aaco
