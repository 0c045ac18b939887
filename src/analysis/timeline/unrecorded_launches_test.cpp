// SPDX-License-Identifier: MIT
#include "analysis/timeline/unrecorded_launches.h"

#include <gtest/gtest.h>
#include <string>

#include "analysis/timeline/test_trace.h"
#include "analysis/timeline/trace_summary.h"

namespace aaco {
namespace {

class KernelLaunches : public testing::Test {
 protected:
  void step(int64_t number) {
    trace_.add(host_, EventKind::kHostRange, "ProfilerStep#" + std::to_string(number), 1000 * number, 1000);
  }
  void launch(int64_t start_ns, int64_t id, std::string_view name = "hipLaunchKernel") {
    trace_.add(host_, EventKind::kHostCall, name, start_ns, 5, id);
  }
  void kernel(int64_t start_ns, int64_t id, int64_t duration_ns = 800) {
    trace_.add(stream_, EventKind::kKernel, "gemm", start_ns, duration_ns, id);
  }
  TraceSummary summary() { return summarise_trace(trace_.table); }
  UnrecordedLaunches launches() { return summary().devices.at(0).launches; }

  TestTrace trace_;
  uint32_t host_ = trace_.thread(0);
  uint32_t stream_ = trace_.stream(0, 0, 7);
};

TEST_F(KernelLaunches, AreCountedByStepAndMakeIdleAnUpperBound) {
  for (int64_t i = 0; i < 32; ++i) {
    step(i);
    launch(1000 * i + 15, i + 1);
  }
  kernel(100, 1);
  kernel(31'100, 32);
  const TraceSummary all = summary();
  const DeviceSummary& device = all.devices.at(0);
  EXPECT_EQ(device.launches.count.launches, 32U);
  EXPECT_EQ(device.launches.count.unrecorded, 30U);
  ASSERT_EQ(device.launches.steps.size(), 30U);
  EXPECT_EQ(trace_.table.strings[device.launches.steps[0].name], "ProfilerStep#1");
  EXPECT_EQ(device.launches.steps[0].count.launches, 1U);
  EXPECT_EQ(device.launches.steps[0].count.unrecorded, 1U);
  EXPECT_EQ(all.losses.count(Loss::kUnrecordedLaunch), 30U);
  EXPECT_TRUE(device.idle_is_upper_bound);
  for (const Offender& offender : all.offenders) {
    EXPECT_EQ(offender.subject.find("idle"), std::string::npos) << offender.subject;
  }
  for (const TraceFinding& finding : all.findings) {
    EXPECT_EQ(finding.explains.late_ns, 0) << finding.pattern;
    EXPECT_EQ(finding.explains.late_in_calls_ns, 0) << finding.pattern;
    EXPECT_EQ(finding.explains.late_in_decode_ns, 0) << finding.pattern;
  }
}

TEST_F(KernelLaunches, AllRecordedIsNoDoubt) {
  for (int64_t i = 0; i < 4; ++i) {
    launch(1000 * i, i + 1);
    kernel(1000 * i + 100, i + 1);
  }
  EXPECT_EQ(launches().count.unrecorded, 0U);
  EXPECT_FALSE(summary().devices[0].idle_is_upper_bound);
  EXPECT_TRUE(summary().devices[0].idle_carries_advice);
}

TEST_F(KernelLaunches, ACapturedLaunchRunsNothing) {
  launch(0, 1);
  kernel(100, 1);
  launch(1000, 2, "cudaStreamBeginCapture_v10000");
  launch(1100, 3, "cudaLaunchKernel");
  launch(1200, 4, "cudaStreamEndCapture");
  launch(2000, 5, "cudaLaunchKernel");
  launch(9000, 6);
  kernel(9100, 6);
  EXPECT_EQ(launches().count.launches, 3U);
  EXPECT_EQ(launches().count.unrecorded, 1U);
}

TEST_F(KernelLaunches, ACaptureMayBeginBeforeTheRecordingAndEndBehindIt) {
  launch(0, 1, "cudaLaunchKernel");
  launch(10, 2, "cudaStreamEndCapture");
  launch(100, 3, "cudaLaunchKernel");
  kernel(200, 3);
  launch(5000, 4, "hipStreamBeginCapture");
  launch(5100, 5, "hipLaunchKernel");
  trace_.add(host_, EventKind::kHostRange, "end", 90'000, 10'000);
  EXPECT_EQ(launches().count.launches, 1U);
  EXPECT_EQ(launches().count.unrecorded, 0U);
}

TEST_F(KernelLaunches, AKernelMayHaveRunAfterTheRecordingStopped) {
  for (int64_t i = 0; i < 10; ++i) {
    launch(100 * i, i + 1);  // the host is ahead
  }
  for (int64_t i = 0; i < 3; ++i) {
    kernel(100 + 800 * i, i + 1);
  }
  EXPECT_EQ(launches().count.launches, 3U);
  EXPECT_EQ(launches().count.unrecorded, 0U);
  // Had the recording gone on, they would have been in it.
  trace_.add(host_, EventKind::kHostRange, "later", 50'000, 1000);
  EXPECT_EQ(launches().count.unrecorded, 7U);
}

TEST_F(KernelLaunches, AShortTailMayHaveBeenInBuffersThatWereNotWritten) {
  for (int64_t i = 0; i < 40; ++i) {
    launch(1000 * i, i + 1);
    kernel(1000 * i + 100, i + 1);
  }
  launch(41'000, 41);
  trace_.add(host_, EventKind::kHostRange, "later", 90'000, 1000);
  EXPECT_EQ(launches().count.unrecorded, 0U);
  for (int64_t id = 42; id < 50; ++id) {
    launch(1000 * id, id);
  }
  EXPECT_EQ(launches().count.unrecorded, 9U);
}

TEST_F(KernelLaunches, AKernelWithoutAnIdMayBeTheOneThatIsMissing) {
  launch(0, 1);
  kernel(100, 1);
  launch(1000, 2);
  kernel(1100, 0);
  launch(2000, 3);
  kernel(2100, 3);
  EXPECT_EQ(launches().count.unrecorded, 0U);
  EXPECT_EQ(summary().losses.count(Loss::kUnrecordedLaunch), 0U);
}

TEST_F(KernelLaunches, AKernelBeforeItsCallOrWithoutATimeIsARecord) {
  launch(0, 1);
  kernel(100, 1);
  launch(1000, 2);
  kernel(900, 2, 50);
  launch(1500, 3);
  kernel(0, 3, 0);
  trace_.table.shape[trace_.table.size() - 1] = EventShape::kUntimed;
  launch(2000, 4);
  kernel(2100, 4);
  EXPECT_EQ(launches().count.launches, 4U);
  EXPECT_EQ(launches().count.unrecorded, 0U);
}

TEST(LaunchesOneKernel, ByTheNameOfTheCall) {
  for (const char* name : {"cudaLaunchKernel", "cudaLaunchKernelExC_v11060", "cuLaunchKernelEx", "hipExtLaunchKernel",
                           "hipModuleLaunchKernel", "hipExtModuleLaunchKernel", "cudaLaunchCooperativeKernel",
                           "cudaLaunch_v3020", "urEnqueueKernelLaunch"}) {
    EXPECT_TRUE(launches_one_kernel(name)) << name;
  }
  for (const char* name : {"cudaGraphLaunch", "cudaLaunchHostFunc", "cudaGraphAddKernelNode", "hipMemcpyAsync",
                           "cudaLaunchCooperativeKernelMultiDevice", "cudaFuncGetAttributes"}) {
    EXPECT_FALSE(launches_one_kernel(name)) << name;
  }
}

}  // namespace
}  // namespace aaco
