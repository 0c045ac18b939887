// SPDX-License-Identifier: MIT
#include "analysis/host/off_cpu_means.h"

#include <gtest/gtest.h>

#include "analysis/host/test_host.h"

namespace aaco {
namespace {

using namespace test_host;

TEST(OffCpuMeans, EachReasonIsDividedByAllMeasuredIterations) {
  Recording run = recording(100);
  run.iterations.front().phase = IterationPhase::kWarmup;
  add_preemption(run, start_of(0) + kUs, 500 * kUs, "hog");  // in the warm-up: not counted
  for (const int64_t iteration : {3, 4, 5}) {
    add_preemption(run, start_of(iteration) + kUs, 330 * kUs, "hog");
  }
  add_off_cpu(run, start_of(7) + kUs, 198 * kUs, OffCpuReason::kSleep, kWorker);
  add_off_cpu(run, start_of(8) + kUs, 99 * kUs, OffCpuReason::kDisk).run_queue_ns = 9 * kUs;
  add_off_cpu(run, start_of(9) + 2 * kMs - 100 * kUs, 50 * kUs, OffCpuReason::kSleep);  // between two iterations
  const std::optional<OffCpuMeans> means = off_cpu_means(run);
  ASSERT_TRUE(means);
  EXPECT_DOUBLE_EQ(means->preempted_ns, 3 * 330e3 / 99);
  EXPECT_DOUBLE_EQ(means->sleep_ns, 2e3);
  EXPECT_DOUBLE_EQ(means->uninterruptible_ns, 1e3);
  EXPECT_DOUBLE_EQ(means->other_ns, 0);
  ASSERT_TRUE(means->run_queue_ns);
  EXPECT_NEAR(*means->run_queue_ns, (3 * 330e3 + 9e3) / 99, 1e-6);
}

// A profiler makes an iteration longer and its threads wait more.
TEST(OffCpuMeans, ProfiledIterationsAreNotMeasured) {
  Recording run = recording(100);
  for (size_t i = 50; i < run.iterations.size(); ++i) {
    run.iterations[i].phase = IterationPhase::kProfile;
  }
  add_preemption(run, start_of(3) + kUs, 500 * kUs, "hog");
  add_preemption(run, start_of(70) + kUs, 500 * kUs, "hog");  // profiled
  const std::optional<OffCpuMeans> means = off_cpu_means(run);
  ASSERT_TRUE(means);
  EXPECT_DOUBLE_EQ(means->preempted_ns, 500e3 / 50);
  for (IterationRow& iteration : run.iterations) {
    iteration.phase = IterationPhase::kProfile;
  }
  EXPECT_FALSE(off_cpu_means(run));
}

TEST(OffCpuMeans, WithoutRowsOfTheKernelThereAreNone) { EXPECT_FALSE(off_cpu_means(recording(5))); }

}  // namespace
}  // namespace aaco
