// SPDX-License-Identifier: MIT
#include "analysis/model_run/conclusions/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/model_run/results.h"
#include "analysis/model_run/test_recording.h"

namespace aaco {
namespace {

using testing::HasSubstr;
using testing::Not;

// 10 ms of convolution beside 100 us of pooling.
Recording convolution_and_pooling() {
  TestRun run;
  run.nodes.push_back({"conv", "Conv", 10e6, {}, {}});
  run.nodes.push_back({"pool", "GlobalAveragePool", 100e3, {}, {}});
  run.latency_ns = 10.2e6;
  return record(run);
}

// The three profiled processes disagree about the convolution by more than its time.
void disturb_convolution(Recording& recording) {
  const int64_t first = recording.facts.processes;
  for (KernelRow& kernel : recording.kernels) {
    if (kernel.node_name == "conv") {
      kernel.dur_ns = kernel.process == first       ? kernel.dur_ns * 6
                      : kernel.process == first + 1 ? kernel.dur_ns / 5
                                                    : kernel.dur_ns;
    }
  }
}

TEST(Summary, SharesWhereTheTimesAreKnown) {
  const Analysis analysis = analyse(convolution_and_pooling());
  ASSERT_EQ(analysis.groups.size(), 2U);
  EXPECT_NEAR(*analysis.groups[0].share, 10.0 / 10.1, 1e-3);
  EXPECT_THAT(analysis.summary[1], HasSubstr("99 % of the node time is in 1 Conv node"));
}

// The pooling is all that is known, and 1 % of what was recorded: that it is "100 % of the node time" is untrue.
TEST(Summary, NoShareOfAMinorityOfTheTime) {
  Recording recording = convolution_and_pooling();
  disturb_convolution(recording);
  const Analysis analysis = analyse(recording);
  for (const KernelGroupRow& group : analysis.groups) {
    EXPECT_FALSE(group.share) << group.group_name;
  }
  EXPECT_THAT(
      analysis.summary[1],
      HasSubstr(
          "the nodes whose time is known hold only 1 % of the profiled time, under 80 %, of it GlobalAveragePool "));
}

TEST(Summary, UndeterminedSaysWhatIsMissingAndTheOneCommand) {
  TestRun run = large_gemm();
  run.roofs = false;
  run.profile = false;
  Recording recording = record(run);
  recording.facts.roofs_unavailable = "not measured on this machine";
  recording.planes["profiler"] = {PlaneStatus::kNotRequested, ""};
  recording.planes["telemetry_host"] = {PlaneStatus::kNotRequested, ""};
  const Analysis analysis = analyse(recording);
  ASSERT_EQ(analysis.bottleneck.bottleneck_class, BottleneckClass::kUndetermined);
  const std::string& limit = analysis.summary[2];
  EXPECT_THAT(limit, HasSubstr("Missing: the machine's roofs (not measured on this machine); the time of each node; "));
  EXPECT_EQ(command_for_missing(recording, {"aaco", "run", "gemm", "--quick"}),
            "aaco doctor --measure && aaco run gemm --quick --profile --telemetry");
  EXPECT_THAT(limit, HasSubstr("To get them: aaco doctor --measure, then the same run with --profile --telemetry."));
  for (const std::string& sentence : analysis.summary) {
    EXPECT_THAT(sentence, Not(HasSubstr("eading class")));
    EXPECT_THAT(sentence, Not(HasSubstr("throttling")));
  }
  recording.planes.clear();
  EXPECT_THAT(analyse(recording).summary[2], HasSubstr("To get it: aaco doctor --measure, then the same run again."));
}

// --quick leaves the roofs out, and a GPU's classes need them: the answer has to say so.
TEST(Summary, UndeterminedOnAGpuSaysWhichFlagsLeftTheRoofsOut) {
  TestRun run = large_gemm();
  run.roofs = false;
  Recording recording = record(run);
  recording.facts.device_kind = DeviceKind::kGpu;
  recording.facts.roofs_unavailable = "not measured: left out by --quick or --no-roofs";
  recording.planes["profiler"] = {PlaneStatus::kNotRequested, ""};
  EXPECT_EQ(command_for_missing(recording, {"aaco", "sweep"}),
            "the same run with --profile, without --quick and --no-roofs");
  EXPECT_EQ(command_for_missing(recording, {"/opt/aaco", "run", "a b.onnx", "--backend", "cuda", "--quick"}),
            "aaco run 'a b.onnx' --backend cuda --profile");
  const Analysis analysis = analyse(recording);
  ASSERT_EQ(analysis.bottleneck.bottleneck_class, BottleneckClass::kUndetermined);
  EXPECT_THAT(analysis.summary[2], HasSubstr("Missing: the device's roofs (not measured: left out by --quick"));
}

TEST(Summary, UndeterminedWithEverythingMeasuredAsksForNothing) {
  const Analysis analysis = analyse(record(stream_in_cache()));
  ASSERT_EQ(analysis.bottleneck.bottleneck_class, BottleneckClass::kUndetermined);
  EXPECT_THAT(analysis.summary[2], HasSubstr("Such a run records nothing more"));
}

// A model that hands its input through: it was profiled, and has no node that runs.
TEST(Summary, AProfileWithoutNodesIsNotToldToProfile) {
  TestRun run;
  Recording recording = record(run);
  recording.kernels.clear();
  recording.nodes.clear();
  recording.planes["profiler"] = {PlaneStatus::kRecorded, ""};
  const Analysis analysis = analyse(recording);
  EXPECT_THAT(analysis.summary[1], HasSubstr("no node ran in the profiled inferences"));
  for (const std::string& sentence : analysis.summary) {
    EXPECT_THAT(sentence, Not(HasSubstr("--profile"))) << sentence;
  }
}

}  // namespace
}  // namespace aaco
