// SPDX-License-Identifier: MIT
#include "analysis/model_run/link/device_work.h"

#include <gtest/gtest.h>

#include "record/device/activity_table.h"

namespace aaco {
namespace {

constexpr int64_t kUs = 1'000;

// A process of one iteration, from 0 to 1 ms, on thread 7.
struct Process {
  ActivityTable activity;
  std::vector<KernelRow> nodes;
  std::vector<IterationRow> iterations{{3, 5, IterationPhase::kProfile, 0, 1'000 * kUs, 1, {}}};
  int64_t error_ns = 0;

  // Times as the profiler writes them, in microseconds.
  void node(const std::string& name, int64_t start_us, int64_t end_us, const std::string& op_type = "Add",
            int64_t thread = 7) {
    KernelRow row;
    row.process = 3;
    row.node_name = name;
    row.op_type = op_type;
    row.provider = "CUDAExecutionProvider";
    row.t_start_ns = start_us * kUs;
    row.t_end_ns = end_us * kUs;
    row.thread_id = thread;
    nodes.push_back(row);
  }
  void record(ActivityKind kind, uint64_t correlation, int64_t start_ns, int64_t end_ns, uint64_t stream) {
    ActivityRecord record;
    record.kind = kind;
    record.correlation = correlation;
    record.start_ns = start_ns;
    record.end_ns = end_ns;
    record.stream = stream;
    record.name = activity.intern(kind == ActivityKind::kKernel ? "gemm" : "call");
    activity.push({&record, 1});
  }
  // A call and a kernel of it, 10 us later.
  void launch(uint64_t correlation, int64_t start_ns, int64_t end_ns, uint64_t thread = 7) {
    record(ActivityKind::kLaunchCall, correlation, start_ns, end_ns, thread);
    record(ActivityKind::kKernel, correlation, end_ns + 10 * kUs, end_ns + 15 * kUs, 1);
  }
  std::vector<KernelRow> kernels() {
    const EventTable events = activity.take();
    std::vector<KernelRow> rows = device_work(events, {3, nodes, iterations, error_ns});
    std::erase_if(rows, [](const KernelRow& row) { return row.activity != NodeActivity::kDeviceKernel; });
    return rows;
  }
};

TEST(DeviceWork, AKernelIsOfTheNodeThatLaunchedIt) {
  Process process;
  process.node("a", 100, 120);
  process.node("b", 130, 150);
  process.launch(1, 105 * kUs, 109 * kUs);
  process.launch(2, 135 * kUs, 139 * kUs);
  const auto rows = process.kernels();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].node_name, "a");
  EXPECT_EQ(rows[1].node_name, "b");
  EXPECT_EQ(rows[1].link, KernelLink::kCorrelation);
  EXPECT_EQ(rows[1].process, 3);
  EXPECT_EQ(rows[1].iter_idx, 5);
  EXPECT_EQ(rows[1].thread_id, 7);
  EXPECT_EQ(rows[1].stream, 1);
  EXPECT_EQ(rows[1].kernel_name, "gemm");
  EXPECT_EQ(rows[1].dur_ns, 5 * kUs);
  EXPECT_EQ(rows[1].correlation, 2);
}

// [100, 105] as written ran from at most 101 to at least 105: a call that goes on until 106.5 was under way before.
TEST(DeviceWork, ACallThatANodeSurelyMadeMayEndBehindWhatTheProfilerWrote) {
  Process process;
  process.node("short", 100, 105);
  process.launch(1, 103 * kUs, 106 * kUs + 500);
  EXPECT_EQ(process.kernels().at(0).node_name, "short");
}

TEST(DeviceWork, ABorderIsNoLink) {
  Process process;
  process.node("a", 100, 120);
  process.launch(1, 120 * kUs + 300, 121 * kUs);  // the node may have lasted until 122, or not
  process.launch(2, 99 * kUs, 100 * kUs + 900);   // it may have begun at 100, or at 100.999
  process.launch(3, 300 * kUs, 301 * kUs);
  const auto rows = process.kernels();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].link, KernelLink::kBorder);
  EXPECT_EQ(rows[1].link, KernelLink::kBorder);
  EXPECT_EQ(rows[2].link, KernelLink::kOutside);
  EXPECT_EQ(rows[0].node_name + rows[1].node_name + rows[2].node_name, "");
}

// With an error of 3 us a call that is 2 us within the node may lie behind it.
TEST(DeviceWork, TheErrorOfTheClocksTakesOffTheNodesEnds) {
  Process process;
  process.node("a", 100, 120);
  process.launch(1, 118 * kUs, 119 * kUs);
  process.error_ns = 3 * kUs;
  EXPECT_EQ(process.kernels().at(0).link, KernelLink::kBorder);
}

// One call cannot come from two nodes that follow each other: the clocks are off.
TEST(DeviceWork, ACallOverTwoNodesIsNoLink) {
  Process process;
  process.node("a", 100, 120);
  process.node("b", 123, 140);
  process.launch(1, 115 * kUs, 130 * kUs);
  EXPECT_EQ(process.kernels().at(0).link, KernelLink::kBorder);
}

TEST(DeviceWork, ABodysNodeGoesBeforeTheNodeAroundIt) {
  Process process;
  process.node("loop", 100, 200, "Loop");
  process.node("body", 120, 140);
  process.launch(1, 125 * kUs, 130 * kUs);
  process.launch(2, 160 * kUs, 165 * kUs);              // the loop's own
  process.launch(3, 140 * kUs + 200, 141 * kUs + 200);  // of either
  const auto rows = process.kernels();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].node_name, "body");
  EXPECT_EQ(rows[1].link, KernelLink::kBorder);  // by start: of call 3
  EXPECT_EQ(rows[2].node_name, "loop");
}

TEST(DeviceWork, AnotherThreadsNodeIsNotMeant) {
  Process process;
  process.node("a", 100, 200, "Add", 8);
  process.launch(1, 120 * kUs, 130 * kUs, 7);
  EXPECT_EQ(process.kernels().at(0).link, KernelLink::kOutside);
}

TEST(DeviceWork, WorkWithoutALaunchAndWithTwoIsNotLinked) {
  Process process;
  process.node("a", 100, 200);
  process.record(ActivityKind::kKernel, 9, 120 * kUs, 130 * kUs, 1);
  process.record(ActivityKind::kLaunchCall, 4, 110 * kUs, 112 * kUs, 7);
  process.record(ActivityKind::kLaunchCall, 4, 150 * kUs, 152 * kUs, 7);
  process.record(ActivityKind::kKernel, 4, 160 * kUs, 170 * kUs, 1);
  const auto rows = process.kernels();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].link, KernelLink::kNoLaunch);
  EXPECT_EQ(rows[0].iter_idx, 5);
  EXPECT_EQ(rows[1].link, KernelLink::kManyLaunches);
}

// A launch of the warm-up whose kernel runs on into the profiled iteration belongs to the warm-up.
TEST(DeviceWork, OnlyProfiledIterationsAreKept) {
  Process process;
  process.iterations = {{3, 4, IterationPhase::kWarmup, 0, 50 * kUs, 1, {}},
                        {3, 5, IterationPhase::kProfile, 60 * kUs, 1'000 * kUs, 1, {}}};
  process.node("a", 10, 1'000);
  process.launch(1, 40 * kUs, 55 * kUs);
  process.launch(2, 70 * kUs, 80 * kUs);
  const auto rows = process.kernels();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].correlation, 2);
}

TEST(DeviceWork, CallsAreRowsOfTheirOwn) {
  Process process;
  process.node("a", 100, 200);
  process.launch(1, 120 * kUs, 130 * kUs);
  process.record(ActivityKind::kSync, kNoCorrelation, 150 * kUs, 160 * kUs, 7);
  process.record(ActivityKind::kSync, kNoCorrelation, 300 * kUs, 310 * kUs, 7);
  const EventTable events = process.activity.take();
  const auto rows = device_work(events, {3, process.nodes, process.iterations, 0});
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].activity, NodeActivity::kHostLaunch);
  EXPECT_EQ(rows[0].node_name, "a");
  EXPECT_EQ(rows[1].activity, NodeActivity::kDeviceKernel);
  EXPECT_EQ(rows[2].activity, NodeActivity::kHostWait);
  EXPECT_EQ(rows[2].node_name, "a");
  EXPECT_EQ(rows[3].link, KernelLink::kOutside);
}

}  // namespace
}  // namespace aaco
