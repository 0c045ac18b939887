// SPDX-License-Identifier: MIT
// Patterns of idle time: who held the device, and for how long at a time.
#include <gtest/gtest.h>

#include "analysis/timeline/advice/test_findings.h"

namespace aaco {
namespace {

constexpr int64_t kMs = 1'000'000;

// 10 ms of work, then the host is in `frame` for `frame_length_ns` from `frame_ns` on, then 30 ms of work at 30 ms.
LaunchingTrace idle_under(std::string_view frame, int64_t frame_ns, int64_t frame_length_ns) {
  LaunchingTrace trace;
  trace.launch(0, 1, "k", 0, 10 * kMs);
  trace.add(trace.host, EventKind::kHostRange, frame, frame_ns, frame_length_ns);
  trace.add(trace.host, EventKind::kHostRange, "<built-in function zoom_shift>", 12 * kMs, 17 * kMs);
  trace.launch(30 * kMs, 1'000, "k", 30 * kMs + 1'000, 30 * kMs);
  return trace;
}

TEST(InputPreparation, LongIdleUnderALoader) {
  const LaunchingTrace trace = idle_under("torch/utils/data/dataloader.py(728): __next__", 10 * kMs, 20 * kMs);
  const TraceSummary summary = summarise_trace(trace.table);
  const TraceFinding* const finding = finding_named(summary, "input-preparation");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->cost_ns, 20 * kMs);
  EXPECT_EQ(finding->saves_ns, 20 * kMs);
  EXPECT_EQ(finding->explains.late_ns, 20 * kMs);
  EXPECT_EQ(finding->window_ns, 60 * kMs + 1'000);
  ASSERT_EQ(finding->where.size(), 2);
  EXPECT_EQ(finding->where[0], "<built-in function zoom_shift>");
  EXPECT_EQ(finding_named(summary, "host-work"), nullptr);
  // The same idle time is no second offender, and none of it is to be cured by graphs.
  EXPECT_TRUE(has_offender(summary, "idle: input preparation"));
  EXPECT_FALSE(has_offender(summary, "idle: launched too late"));
}

TEST(InputPreparation, OfTracesWhoseAnnotationsAreOperators) {
  LaunchingTrace trace;
  trace.launch(0, 1, "k", 0, 10 * kMs);
  trace.add(trace.host, EventKind::kHostOp, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 10 * kMs,
            20 * kMs);
  trace.launch(30 * kMs, 1'000, "k", 30 * kMs + 1'000, 30 * kMs);
  EXPECT_NE(finding_named(summarise_trace(trace.table), "input-preparation"), nullptr);
}

TEST(InputPreparation, TheRemedyIsThatOfTheLoader) {
  const auto remedy = [](std::string_view frame) {
    return finding_named(summarise_trace(idle_under(frame, 10 * kMs, 20 * kMs).table), "input-preparation")->remedy;
  };
  EXPECT_TRUE(remedy("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__").starts_with("The loader runs in"));
  EXPECT_TRUE(
      remedy("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__").starts_with("Its loader processes"));
}

TEST(InputPreparation, NotWhatTheWholeProgramIsCalled) {
  const LaunchingTrace trace = idle_under("preprocess_and_train.py(3): main", -100 * kMs, 300 * kMs);
  EXPECT_EQ(finding_named(summarise_trace(trace.table), "input-preparation"), nullptr);
}

TEST(InputPreparation, NotWhereTheDeviceIsBusyMeanwhile) {
  LaunchingTrace trace;
  trace.launch(0, 1, "k", 0, 10 * kMs);
  trace.launch(1, 1, "k", 10 * kMs, 30 * kMs);  // queued before
  trace.add(trace.host, EventKind::kHostRange, "torch/utils/data/dataloader.py(728): __next__", 10 * kMs, 20 * kMs);
  EXPECT_EQ(finding_named(summarise_trace(trace.table), "input-preparation"), nullptr);
}

TEST(HostWork, LongIdleUnderAFunctionThatPreparesNothing) {
  const TraceSummary summary = summarise_trace(idle_under("save.py(1): save", 10 * kMs, 20 * kMs).table);
  const TraceFinding* const finding = finding_named(summary, "host-work");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->cost_ns, 17 * kMs);  // of the innermost function
  EXPECT_EQ(finding->subject, "idle: host work in <built-in function zoom_shift>");
  EXPECT_EQ(finding_named(summary, "input-preparation"), nullptr);
  EXPECT_TRUE(has_offender(summary, "idle: launched too late"));  // the other 3 ms
}

TEST(HostWork, TheNameOfAStepSaysNothing) {
  LaunchingTrace trace;
  trace.launch(0, 1, "k", 0, 10 * kMs);
  trace.add(trace.host, EventKind::kHostRange, "ProfilerStep#3", 10 * kMs, 20 * kMs);
  trace.launch(30 * kMs, 1'000, "k", 30 * kMs + 1'000, 30 * kMs);
  EXPECT_EQ(finding_named(summarise_trace(trace.table), "host-work"), nullptr);
}

// Each kernel of 10 us is launched 50 us after the one before: 40 us idle between two.
LaunchingTrace launched_one_by_one(int64_t kernels, std::string_view call) {
  LaunchingTrace trace;
  for (int64_t i = 0; i < kernels; ++i) {
    trace.launch(50'000 * i, 5'000, "k", 50'000 * i + 5'000, 10'000, call);
  }
  return trace;
}

TEST(LaunchBound, ManyShortSpans) {
  const TraceSummary summary = summarise_trace(launched_one_by_one(31, "cudaLaunchKernel").table);
  const TraceFinding* const finding = finding_named(summary, "launch-bound");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->cost_ns, 30 * 40'000);
  EXPECT_EQ(finding->figures[2].name, "median_span");
  EXPECT_EQ(finding->figures[2].value, 40'000);
  EXPECT_FALSE(has_offender(summary, "idle: launched too late"));
}

TEST(LaunchBound, NotFewNorGraphs) {
  EXPECT_EQ(finding_named(summarise_trace(launched_one_by_one(20, "cudaLaunchKernel").table), "launch-bound"), nullptr);
  EXPECT_EQ(finding_named(summarise_trace(launched_one_by_one(31, "cudaGraphLaunch").table), "launch-bound"), nullptr);
}

// The device ends its work at 100 us, the host has seen it at 105 us and launches by 200 us.
LaunchingTrace read_by(std::string_view op) {
  LaunchingTrace trace;
  trace.launch(0, 1, "k", 0, 100'000);
  trace.add(trace.host, EventKind::kHostRange, "train.py(7): step", 40'000, 80'000);
  trace.add(trace.host, EventKind::kHostOp, op, 50'000, 60'000);
  trace.add(trace.host, EventKind::kHostCall, "cudaStreamSynchronize", 60'000, 45'000);
  trace.launch(190'000, 10'000, "k", 200'000, 100'000);
  return trace;
}

TEST(SynchronisingReads, FromTheEndOfTheWorkToTheNextLaunch) {
  const TraceSummary summary = summarise_trace(read_by("aten::_local_scalar_dense").table);
  const TraceFinding* const finding = finding_named(summary, "synchronising-reads");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->cost_ns, 100'000);
  EXPECT_EQ(finding->explains.waiting_ns, 5'000);
  EXPECT_EQ(finding->explains.late_ns, 95'000);
  EXPECT_EQ(finding->where, (std::vector<std::string>{"aten::_local_scalar_dense", "train.py(7): step"}));
  EXPECT_FALSE(has_offender(summary, "idle: launched too late"));
  EXPECT_FALSE(has_offender(summary, "idle: the host waited for the device"));
}

TEST(SynchronisingReads, NotACopyNorAnIdleDevice) {
  EXPECT_EQ(finding_named(summarise_trace(read_by("aten::copy_").table), "synchronising-reads"), nullptr);
  LaunchingTrace trace;
  trace.launch(0, 1, "k", 0, 10'000);  // had ended before the host waited
  trace.add(trace.host, EventKind::kHostOp, "aten::_local_scalar_dense", 50'000, 60'000);
  trace.add(trace.host, EventKind::kHostCall, "cudaStreamSynchronize", 60'000, 45'000);
  trace.launch(190'000, 10'000, "k", 200'000, 100'000);
  EXPECT_EQ(finding_named(summarise_trace(trace.table), "synchronising-reads"), nullptr);
}

// 10 us of work, 300 us in a call, and 1 ms of work.
LaunchingTrace idle_in(std::string_view call) {
  LaunchingTrace trace;
  trace.launch(0, 1, "k", 0, 10'000);
  trace.add(trace.host, EventKind::kHostCall, call, 10'000, 300'000);
  trace.launch(310'000, 1'000, "k", 311'000, 1'000'000);
  return trace;
}

TEST(DeviceAllocation, WhileTheHostAsksTheDriver) {
  for (const char* const call : {"cudaMalloc", "hipMalloc", "hipFree", "cudaHostAlloc"}) {
    const TraceSummary summary = summarise_trace(idle_in(call).table);
    const TraceFinding* const finding = finding_named(summary, "device-allocation");
    ASSERT_NE(finding, nullptr) << call;
    EXPECT_EQ(finding->cost_ns, 300'000);
    EXPECT_EQ(finding->where.front(), call);
  }
  EXPECT_EQ(finding_named(summarise_trace(idle_in("hipGetDevicePropertiesR0600").table), "device-allocation"), nullptr);
}

TEST(ModuleLoading, WhatTheFirstTimeCosts) {
  const TraceSummary summary = summarise_trace(idle_in("hipModuleLoadData").table);
  const TraceFinding* const finding = finding_named(summary, "module-loading");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->cost_ns, 300'000);
  EXPECT_EQ(finding_named(summary, "device-allocation"), nullptr);
  EXPECT_EQ(finding_named(summarise_trace(idle_in("hipModuleLaunchKernel").table), "module-loading"), nullptr);
}

// A launch of 2 ms loads the code that it launches; one of 300 us, above, need not.
TEST(ModuleLoading, WithinTheLaunch) {
  LaunchingTrace trace;
  trace.launch(0, 1, "k", 0, 10'000);
  trace.launch(10'000, 2 * kMs, "k", 10'000 + 2 * kMs, kMs);
  const TraceSummary summary = summarise_trace(trace.table);
  ASSERT_NE(finding_named(summary, "module-loading"), nullptr);
  EXPECT_EQ(finding_named(summary, "module-loading")->cost_ns, 2 * kMs);
}

TEST(Compilation, LongIdleUnderACompiler) {
  const TraceSummary summary =
      summarise_trace(idle_under("CUDAGraphNode.record (dynamo_timed)", 10 * kMs, 20 * kMs).table);
  const TraceFinding* const finding = finding_named(summary, "compilation");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->cost_ns, 20 * kMs);
  EXPECT_EQ(finding_named(summary, "host-work"), nullptr);
  EXPECT_EQ(finding_named(summarise_trace(idle_under("torch/_inductor/utils.py(3013): run", 10 * kMs, 20 * kMs).table),
                          "compilation"),
            nullptr);
}

// 20 ms idle in the first call of an operator, a later one takes `later_ns`.
LaunchingTrace idle_in_operator(int64_t later_ns) {
  LaunchingTrace trace;
  trace.launch(0, 1, "k", 0, 10 * kMs);
  trace.add(trace.host, EventKind::kHostOp, "aten::cudnn_convolution", 10 * kMs, 20 * kMs);
  trace.launch(30 * kMs, 1'000, "k", 30 * kMs + 1'000, 30 * kMs);
  if (later_ns > 0) {
    trace.add(trace.host, EventKind::kHostOp, "aten::cudnn_convolution", 31 * kMs, later_ns);
  }
  return trace;
}

TEST(FirstUse, TenTimesAsLongAsLaterCalls) {
  const TraceSummary summary = summarise_trace(idle_in_operator(2 * kMs).table);
  const TraceFinding* const finding = finding_named(summary, "first-use");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->cost_ns, 20 * kMs);
}

TEST(FirstUse, NotWhereLaterCallsAreAsLongOrUnknown) {
  EXPECT_EQ(finding_named(summarise_trace(idle_in_operator(3 * kMs).table), "first-use"), nullptr);
  EXPECT_EQ(finding_named(summarise_trace(idle_in_operator(0).table), "first-use"), nullptr);
}

}  // namespace
}  // namespace aaco
