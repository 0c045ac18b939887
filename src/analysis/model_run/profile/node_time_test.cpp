// SPDX-License-Identifier: MIT
#include "analysis/model_run/profile/node_time.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "analysis/model_run/launch_tax.h"
#include "analysis/model_run/results.h"
#include "analysis/model_run/test_recording.h"

namespace aaco {
namespace {

NodeTimes times_of(const Recording& recording) { return node_times(recording, profile_view(recording)); }

const NodeTime& node(const NodeTimes& times, std::string_view name) {
  return *std::find_if(times.nodes.begin(), times.nodes.end(),
                       [&](const NodeTime& node_time) { return node_time.node_name == name; });
}

TestRun two_nodes() {
  TestRun run;
  run.nodes = {{"long", "Conv", 100'000, 1e6, 1e5}, {"short", "Add", 200, 4, 48}};
  run.latency_ns = 101'000;
  return run;
}

// Recorded 101 us (101.5 cut), less the cost of 1.5 us; bound 300 ns of the cost and 1000 ns of the resolution.
TEST(NodeTime, CostIsSubtractedAndBounded) {
  const NodeTimes times = times_of(record(two_nodes()));
  const NodeTime& node_time = node(times, "long");
  EXPECT_DOUBLE_EQ(node_time.executions, 1);
  EXPECT_DOUBLE_EQ(node_time.raw_ns, 101'000);
  EXPECT_DOUBLE_EQ(*node_time.time_ns, 99'500);
  EXPECT_DOUBLE_EQ(node_time.bound_ns(), 1'300);
  EXPECT_NEAR(*node_time.time_ns, 100'000, node_time.bound_ns());
}

// Recorded 1 us (1.7 cut) less 1.5: under its bound of 1.3 us, so only the limit max(-500, 0) + 1300 is given.
TEST(NodeTime, BelowResolutionOnlyALimitIsGiven) {
  const NodeTimes times = times_of(record(two_nodes()));
  const NodeTime& node_time = node(times, "short");
  EXPECT_FALSE(node_time.time_ns);
  EXPECT_EQ(node_time.quality, TimeQuality::kBelowResolution);
  EXPECT_DOUBLE_EQ(node_time.upper_ns, 1'300);
  EXPECT_GE(node_time.upper_ns, 200);
}

// The bound holds for every true time, whatever the clock cuts off.
TEST(NodeTime, TheTrueTimeIsAlwaysWithinTheBound) {
  TestRun run;
  for (int i = 0; i < 400; ++i) {
    run.nodes.push_back({"n" + std::to_string(i), "Add", 37.0 * i, {}, {}});
  }
  run.latency_ns = 1e7;
  const NodeTimes times = times_of(record(run));
  for (size_t i = 0; i < run.nodes.size(); ++i) {
    const NodeTime& node = times.nodes[i];
    if (node.time_ns) {
      EXPECT_NEAR(*node.time_ns, run.nodes[i].time_ns, node.bound_ns());
    } else {
      EXPECT_LE(run.nodes[i].time_ns, node.upper_ns);
    }
  }
  double sum = 0;
  for (const TestNode& node : run.nodes) {
    sum += node.time_ns;
  }
  EXPECT_LE(times.sum.range.low, sum);
  EXPECT_GE(times.sum.range.high, sum);
}

// A node executed three times an inference: cost and bounds three times.
TEST(NodeTime, ExecutionsOfALoopBodyAddUp) {
  TestRun run;
  run.nodes.assign(3, {"body", "MatMul", 50'000, {}, {}});
  const NodeTimes times = times_of(record(run));
  ASSERT_EQ(times.nodes.size(), 1U);
  EXPECT_DOUBLE_EQ(times.nodes[0].executions, 3);
  EXPECT_DOUBLE_EQ(*times.nodes[0].time_ns, 3 * (51'000 - 1'500));
  EXPECT_DOUBLE_EQ(times.nodes[0].bound_ns(), 3 * 1'300);
  EXPECT_DOUBLE_EQ(*times.dispatches_per_inference, 3);
}

// Nodes "a", "b", ... whose recorded durations differ between the three profiled processes.
NodeTimes times_by_process(const std::vector<std::vector<int64_t>>& recorded_ns) {
  TestRun run;
  for (size_t i = 0; i < recorded_ns.size(); ++i) {
    run.nodes.push_back({std::string(1, static_cast<char>('a' + i)), "Conv", 1, {}, {}});
  }
  Recording recording = record(run);
  for (KernelRow& row : recording.kernels) {
    row.dur_ns = recorded_ns[static_cast<size_t>(row.node_name[0] - 'a')][static_cast<size_t>(row.process - 5)];
  }
  return times_of(recording);
}

// From the median to the farther end of the interval of three medians: Student's t with 2 degrees of freedom, 4.302653
// at 97.5 %, on their logarithms.
double farther_end(double a, double b, double c) {
  const double mean = (std::log(a) + std::log(b) + std::log(c)) / 3;
  const double squares =
      std::pow(std::log(a) - mean, 2) + std::pow(std::log(b) - mean, 2) + std::pow(std::log(c) - mean, 2);
  const double half = 4.302653 * std::sqrt(squares / 2 / 3);
  return std::max(b - std::exp(mean - half), std::exp(mean + half) - b);
}

// The middle one of the processes counts, and their spread is in the bound.
TEST(NodeTime, MedianOverProcesses) {
  const NodeTimes times = times_by_process({{100'000, 102'000, 104'000}});
  const NodeTime& node = times.nodes[0];
  EXPECT_DOUBLE_EQ(node.raw_ns, 102'000);
  EXPECT_DOUBLE_EQ(*node.time_ns, 100'500);
  EXPECT_NEAR(node.spread_ns, farther_end(100'000, 102'000, 104'000), 0.1);
  EXPECT_DOUBLE_EQ(node.bound_ns(), 1'300 + node.spread_ns);
  EXPECT_EQ(node.quality, TimeQuality::kResolved);
}

// 12 us less 1.5 is far above the profiler's 1.3 us, and far under the spread.
TEST(NodeTime, ProcessesThatDisagreeAreNotTheProfilersResolution) {
  const NodeTimes times = times_by_process({{10'000, 12'000, 60'000}});
  const NodeTime& node = times.nodes[0];
  EXPECT_FALSE(node.time_ns);
  EXPECT_EQ(node.quality, TimeQuality::kProcessesDisagree);
  EXPECT_NEAR(node.upper_ns, 10'500 + 1'300 + farther_end(10'000, 12'000, 60'000), 1);
  EXPECT_EQ(times.sum.quality, TimeQuality::kProcessesDisagree);
  EXPECT_DOUBLE_EQ(times.sum.range.high, node.upper_ns);
}

// One node is slow where the other is fast: their sum is 220 us in each process.
TEST(NodeTime, TheSpreadOfASumIsThatOfTheProcessesSums) {
  const NodeTimes against = times_by_process({{100'000, 110'000, 120'000}, {120'000, 110'000, 100'000}});
  EXPECT_GT(against.nodes[0].spread_ns, 10'000);
  EXPECT_DOUBLE_EQ(against.sum.known_ns, 217'000);
  EXPECT_NEAR(against.sum.range.high, 217'000 + 2 * 800 + std::sqrt(2) * 500, 1e-6);
  EXPECT_EQ(against.sum.quality, TimeQuality::kResolved);
  // Both slow in the same process: nothing averages out.
  const NodeTimes together = times_by_process({{100'000, 110'000, 120'000}, {100'000, 110'000, 120'000}});
  EXPECT_NEAR(together.sum.range.high, 217'000 + 2 * 800 + std::sqrt(2) * 500 + 2 * together.nodes[0].spread_ns, 1e-6);
}

// The enclosing node's recorded time is its own, 3 us: under that and the resolution it lies, and no body's node with
// it.
TEST(NodeTime, AnEnclosingNodeIsNotCountedTwice) {
  TestRun run;
  run.nodes = {{"loop", "Loop", 2'000, {}, {}}, {"body", "MatMul", 100'000, {}, {}}};
  const NodeTimes times = times_of(record(run));
  EXPECT_FALSE(node(times, "loop").time_ns);
  EXPECT_EQ(node(times, "loop").quality, TimeQuality::kEncloses);
  EXPECT_DOUBLE_EQ(node(times, "loop").upper_ns, 3'000 + 1'000);
  EXPECT_DOUBLE_EQ(times.sum.known_ns, 99'500);
  EXPECT_DOUBLE_EQ(times.sum.range.high, 99'500 + 1'300 + 4'000);
  EXPECT_DOUBLE_EQ(*times.union_ns, 99'500);
}

// Two nodes of 100 us at the same time on two threads: the union is that of one.
TEST(NodeTime, OverlappingNodesCountOnceInTheUnion) {
  TestRun run;
  run.nodes = {{"a", "Conv", 100'000, {}, {}}, {"b", "Conv", 100'000, {}, {}}};
  Recording recording = record(run);
  for (size_t i = 1; i < recording.kernels.size(); i += 2) {
    KernelRow& row = recording.kernels[i];
    row.t_start_ns = recording.kernels[i - 1].t_start_ns;
    row.t_end_ns = row.t_start_ns + row.dur_ns;
    row.thread_id = 2;
  }
  const NodeTimes times = times_of(recording);
  EXPECT_TRUE(times.concurrent);
  EXPECT_DOUBLE_EQ(times.sum.known_ns, 2 * 99'500);
  EXPECT_DOUBLE_EQ(*times.union_ns, 99'500);
}

TEST(NodeTime, WithoutCalibrationThereIsNone) {
  Recording recording = record(two_nodes());
  recording.facts.profiler_cost.reset();
  const NodeTimes times = times_of(recording);
  EXPECT_FALSE(times.available());
  EXPECT_TRUE(times.nodes.empty());
  EXPECT_DOUBLE_EQ(*times.dispatches_per_inference, 2) << "counting needs no calibration";
}

// Unprofiled runs that were held up make the cost negative: neither it nor the dispatch that came with it is used.
TEST(NodeTime, AFailedCalibrationIsSaidAndNotUsed) {
  Recording recording = record(two_nodes());
  recording.facts.profiler_cost->per_node_ns = -60'000;
  recording.facts.profiler_cost->dispatch_ns = 62'000;
  recording.facts.roofs.reset();
  EXPECT_NE(times_of(recording).unavailable.find("the calibration of the profiler's own cost failed"),
            std::string::npos);
  EXPECT_FALSE(smallest_dispatch_ns(recording.facts));
  recording.facts.profiler_cost->per_node_ns = 1'500;
  EXPECT_DOUBLE_EQ(*smallest_dispatch_ns(recording.facts), 62'000);
}

TEST(NodeTime, RowsOfOtherPhasesAreLeftOut) {
  Recording recording = record(two_nodes());
  KernelRow stray = recording.kernels.front();
  stray.process = 0;  // a measuring process
  recording.kernels.push_back(stray);
  EXPECT_EQ(profile_view(recording).stray_rows, 1);
  EXPECT_DOUBLE_EQ(node(times_of(recording), "long").raw_ns, 101'000);
}

// Device activity has the device's own clock: the host profiler's cost is not in it.
TEST(NodeTime, DeviceTimesAreNotDeBiased) {
  TestRun run = two_nodes();
  run.activity = NodeActivity::kDeviceKernel;
  const NodeTimes times = times_of(record(run));
  EXPECT_DOUBLE_EQ(*node(times, "short").time_ns, 1'000);
}

// 99.5 us known, 1.3 us at most below resolution, over 101 us.
TEST(NodeTime, ReconcilesWithTheUnprofiledLatency) {
  const Analysis analysis = analyse(record(two_nodes()));
  const MetricValue* ratio = analysis.metric("profile_reconciliation");
  EXPECT_NEAR(*ratio->value, 99.5 / 101, 1e-9);
  EXPECT_NEAR(ratio->interval->high, (99.5 + 1.3 + 1.3) / 101, 1e-9);
  EXPECT_TRUE(analysis.warnings.empty()) << analysis.warnings.front();
}

TEST(NodeTime, TimesThatExceedTheLatencyAreWarnedOf) {
  TestRun run = two_nodes();
  run.latency_ns = 50'000;
  const Analysis analysis = analyse(record(run));
  ASSERT_EQ(analysis.warnings.size(), 1U);
  EXPECT_NE(analysis.warnings[0].find("exceed the unprofiled latency"), std::string::npos);
}

}  // namespace
}  // namespace aaco
