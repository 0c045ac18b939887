// SPDX-License-Identifier: MIT
#include "kind/copy/copy_samples.h"

#include <gtest/gtest.h>

#include "verdict/pair_comparisons.h"

namespace aaco {
namespace {

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

TEST(CopySamples, EachVariantIsAPair) {
  const CopyDocument before = copies_of({{150, 110, 100, 50}, {151, 111, 101, 50.1}, {149, 109, 99, 49.9}});
  const CopyDocument after = copies_of({{150, 121, 100, 50}, {151, 122, 101, 50.1}, {149, 120, 99, 49.9}});
  const PairComparisons comparisons = compare_pairs(samples_of(before), samples_of(after), options());
  ASSERT_EQ(comparisons.pairs.size(), 4);
  EXPECT_EQ(comparisons.pairs[0].configuration, "d2h, serial");
  EXPECT_NEAR(*comparisons.pairs[0].comparison.ratio, 1, 1e-12);
  EXPECT_EQ(comparisons.pairs[1].configuration, "d2h, overlapped");
  EXPECT_NEAR(*comparisons.pairs[1].comparison.ratio, 1.1, 1e-3);
  EXPECT_EQ(comparisons.pairs[1].comparison.verdict, Verdict::kRegressed);
  EXPECT_EQ(exit_code_of(comparisons, true), 1);
}

TEST(CopySamples, OtherSizesAreNotCompared) {
  const CopyDocument before = copies_of({{15, 11, 10, 5}, {15, 11, 10, 5}, {15, 11, 10, 5}});
  CopyDocument after = before;
  after.request.copy_mb = 8;
  const PairComparisons comparisons = compare_pairs(samples_of(before), samples_of(after), options());
  ASSERT_EQ(comparisons.pairs.size(), 4);
  EXPECT_EQ(comparisons.pairs[0].comparison.verdict, Verdict::kInvalid);
}

}  // namespace
}  // namespace aaco
