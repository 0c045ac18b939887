// SPDX-License-Identifier: MIT
#include "kind/sharded/analysis/launch_sample.h"

#include <gtest/gtest.h>

#include "verdict/compare.h"
#include "verdict/test_samples.h"

namespace aaco {
namespace {

// Four ranks that agree, beside four that agree on another step: two launches are no evidence of a change.
TEST(LaunchSample, RanksAreOneProcess) {
  RunSample baseline = test::sample_of({50.1e6, 50.3e6, 50.2e6, 50.0e6});
  RunSample test = test::sample_of({40.1e6, 40.3e6, 40.2e6, 40.0e6});
  baseline.stationary_processes = test.stationary_processes = 4;
  baseline.iterations = 80;
  EXPECT_EQ(compare(baseline, test).verdict, Verdict::kImproved);  // what the ranks alone would say

  const RunSample launch = launch_sample(baseline);
  EXPECT_EQ(launch.process_medians_ns, std::vector<double>{50.3e6});
  EXPECT_EQ(launch.iterations, 20);
  EXPECT_EQ(launch.stationary_processes, 1);
  EXPECT_LE(launch.processes.size(), 1U);
  EXPECT_EQ(compare(launch, launch_sample(test)).verdict, Verdict::kInconclusive);
}

TEST(LaunchSample, OneRankStaysAsItIs) {
  EXPECT_EQ(launch_sample(test::sample_of({50e6})).process_medians_ns, std::vector<double>{50e6});
  EXPECT_TRUE(launch_sample(RunSample()).process_medians_ns.empty());
}

}  // namespace
}  // namespace aaco
