// SPDX-License-Identifier: MIT
#include "analysis/model_run/link/inference_budget.h"

#include <gtest/gtest.h>

#include "analysis/model_run/test_recording.h"

namespace aaco {
namespace {

KernelRow row(NodeActivity activity, int64_t start, int64_t end, const std::string& name = "k") {
  KernelRow row;
  row.activity = activity;
  row.kernel_name = name;
  row.t_start_ns = start;
  row.t_end_ns = end;
  row.dur_ns = end - start;
  return row;
}

// 0 to 1000. Kernels 100 to 300 and, on another stream, 200 to 400; a copy in from 350 to 450; a copy out from 900 to
// 950; a launch from 50 to 120 and one from 460 to 500; a node from 40 to 480.
Recording inference() {
  Recording recording;
  recording.facts.device_kind = DeviceKind::kGpu;
  recording.iterations.push_back({0, 0, IterationPhase::kProfile, 0, 1000, 0.001, {}});
  recording.kernels = {row(NodeActivity::kDeviceKernel, 100, 300),
                       row(NodeActivity::kDeviceKernel, 200, 400),
                       row(NodeActivity::kDeviceCopy, 350, 450, "copy host to device"),
                       row(NodeActivity::kDeviceCopy, 900, 950, "copy device to host"),
                       row(NodeActivity::kDeviceMemset, 960, 961, "set"),
                       row(NodeActivity::kHostLaunch, 50, 120),
                       row(NodeActivity::kHostLaunch, 460, 500),
                       row(NodeActivity::kHostEnqueue, 40, 480)};
  return recording;
}

TEST(InferenceBudget, EveryNanosecondIsCountedOnce) {
  const auto budgets = inference_budgets(inference());
  ASSERT_EQ(budgets.size(), 1U);
  const InferenceBudget& budget = budgets.front();
  EXPECT_EQ(budget.kernels_ns, 300);    // 100 to 400
  EXPECT_EQ(budget.copies_in_ns, 50);   // 400 to 450
  EXPECT_EQ(budget.copies_out_ns, 50);  // 900 to 950
  EXPECT_EQ(budget.other_copies_ns, 1);
  EXPECT_EQ(budget.launches_ns, 50 + 40);  // 50 to 100, 460 to 500
  EXPECT_EQ(budget.nodes_ns, 10 + 10);     // 40 to 50, 450 to 460
  EXPECT_EQ(budget.between_ns, 1000 - 300 - 50 - 50 - 1 - 90 - 20);
  EXPECT_EQ(budget.wall_ns, 1000);
}

// What runs on behind the inference is not of it.
TEST(InferenceBudget, APartIsCutAtTheInferencesEnds) {
  Recording recording = inference();
  recording.kernels = {row(NodeActivity::kDeviceKernel, 900, 1500)};
  const auto budgets = inference_budgets(recording);
  ASSERT_EQ(budgets.size(), 1U);
  EXPECT_EQ(budgets.front().kernels_ns, 100);
  EXPECT_EQ(budgets.front().between_ns, 900);
}

TEST(InferenceBudget, AnInferenceWithoutDeviceWorkHasNone) {
  Recording recording = inference();
  recording.kernels = {row(NodeActivity::kHostEnqueue, 100, 200)};
  EXPECT_TRUE(inference_budgets(recording).empty());
}

// Of two profiled inferences one copies 100 ns and the other 50 from or to the host; unprofiled ones take 300 on
// average.
TEST(DeviceMetrics, CopyShareIsOfTheMeanUnprofiledLatency) {
  Recording recording = inference();
  recording.iterations.push_back({0, 1, IterationPhase::kProfile, 2000, 2500, 0.0005, {}});
  recording.iterations.push_back({1, 0, IterationPhase::kMeasure, 5000, 5200, 0.0002, {}});
  recording.iterations.push_back({1, 1, IterationPhase::kMeasure, 6000, 6400, 0.0004, {}});
  for (KernelRow copy : {row(NodeActivity::kDeviceCopy, 2100, 2150, "copy host to device"),
                         row(NodeActivity::kDeviceCopy, 2300, 2400, "copy device to device")}) {
    copy.iter_idx = 1;
    recording.kernels.push_back(copy);
  }
  EXPECT_NEAR(analyse(recording).metric("copy_time_share")->value.value(), 0.25, 1e-9);
  recording.iterations.pop_back();
  recording.iterations.back().t_end_ns = 5050;
  recording.iterations.back().latency_ms = 0.00005;
  const Analysis analysis = analyse(recording);
  EXPECT_TRUE(quality_text(analysis.metric("copy_time_share")->quality).starts_with("suspect: ")) << "150 % of 50 ns";
}

TEST(DeviceMetrics, LinkedSharesAreOfKernelsByCountAndByTime) {
  Recording recording = record(tiny_ops());
  recording.facts.device_kind = DeviceKind::kGpu;
  recording.kernels = {row(NodeActivity::kDeviceKernel, 100, 200), row(NodeActivity::kDeviceKernel, 300, 600),
                       row(NodeActivity::kDeviceCopy, 600, 900)};
  recording.kernels[1].link = KernelLink::kCorrelation;
  const Analysis analysis = analyse(recording);
  EXPECT_DOUBLE_EQ(analysis.metric("kernels_linked")->value.value(), 0.5);
  EXPECT_DOUBLE_EQ(analysis.metric("kernel_time_linked")->value.value(), 0.75);
}

TEST(DeviceMetrics, ACpuHasNone) { EXPECT_EQ(analyse(record(tiny_ops())).metric("kernels_linked"), nullptr); }

}  // namespace
}  // namespace aaco
