// SPDX-License-Identifier: MIT
#include "workload/latency_sensitive/kernel_sizes.h"

#include <cmath>
#include <gtest/gtest.h>

#include "workload/checks/workload_run.h"
#include "workload/workload_list.h"

namespace aaco {

namespace {

// A device that does size^3 / 1e3 ns: 10 ms at (1e10)^(1/3) = 2154.4 rows, and 2176 is the nearest multiple of 64:
// 10.3 ms.
TEST(KernelSizesTest, FindsTheSizeOfACubicTime) {
  const auto outcome = find_size({1e7, 256, 64, 32768, 3}, [](int64_t size) -> Result<double> {
    return std::pow(static_cast<double>(size), 3) / 1e3;
  });
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->size, 2176);
  EXPECT_DOUBLE_EQ(outcome->ns, 2176.0 * 2176 * 2176 / 1e3);
}

// Whatever is small takes 3 us; then 1 ns per 100 elements: 10 us is a million.
TEST(KernelSizesTest, PassesWhatALaunchCosts) {
  const auto outcome = find_size({1e4, 65536, 256, 1 << 28, 1}, [](int64_t size) -> Result<double> {
    return std::max(3000.0, static_cast<double>(size) / 100);
  });
  ASSERT_TRUE(outcome);
  EXPECT_NEAR(static_cast<double>(outcome->size), 1e6, 0.05e6);
}

TEST(KernelSizesTest, StopsAtTheLargestSize) {
  int trials = 0;
  const auto outcome = find_size({1e9, 256, 64, 1000, 3}, [&](int64_t) -> Result<double> {
    ++trials;
    return 5.0;
  });
  ASSERT_TRUE(outcome);
  EXPECT_LE(outcome->size, 1000);
  EXPECT_EQ(trials, 2);  // 256, then 960 whatever is measured
}

TEST(KernelSizesTest, AFailureEndsTheSearch) {
  const auto outcome = find_size({1e9, 256, 64, 1000, 3},
                                 [](int64_t) -> Result<double> { return Error{ErrorKind::kResource, "gone", "hint"}; });
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message, "gone");
}

TEST(HeteroKernelsTest, CalibratesItsSizesOnTheDevice) {
  const auto run = make_workload_run(workloads::hetero_kernels, 1, 1, 1, {{"calibrate", "1"}, {"ratio", "2"}});
  ASSERT_TRUE(run) << run.error().message;
  ASSERT_FALSE(run->instance->notes.empty());
  EXPECT_EQ(run->instance->notes.front().rfind("calibrated: ", 0), 0) << run->instance->notes.front();
  EXPECT_NE(run->output("product 0").size(), 96 * 96);  // the size for tests
  EXPECT_EQ(run->instance->iteration.kernels(), 1 + 2 * 2);
}

}  // namespace

}  // namespace aaco
