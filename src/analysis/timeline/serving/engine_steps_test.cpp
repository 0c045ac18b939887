// SPDX-License-Identifier: MIT
#include "analysis/timeline/serving/engine_steps.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "analysis/timeline/serving/step_classes.h"
#include "analysis/timeline/test_trace.h"
#include "analysis/timeline/trace_summary.h"

namespace aaco {
namespace {

// Two steps on one thread and one stream:
//
//   host    0 [prefill of 2 requests, 10 tokens                ] 100       200 [decode of 2      ] 230
//           20 k1 25   30 k2 35                              150 other 152     210 replay 215
//   device           40 k1 60   70 k2              110                             220 a 230 b 260   300 other 310
class EngineStepsTest : public testing::Test {
 protected:
  EngineStepsTest() : thread_(trace_.thread(0)), stream_(trace_.stream(0, 0, 7)) {}

  void add_launch(const char* call, int64_t start_ns, int64_t duration_ns, int64_t id) {
    trace_.add(thread_, EventKind::kHostCall, call, start_ns, duration_ns, id);
  }
  void add_kernel(const char* name, int64_t start_ns, int64_t end_ns, int64_t id) {
    trace_.add(stream_, EventKind::kKernel, name, start_ns, end_ns - start_ns, id);
  }
  void add_range(const char* name, int64_t start_ns, int64_t end_ns) {
    trace_.add(thread_, EventKind::kHostRange, name, start_ns, end_ns - start_ns);
  }
  void add_work() {
    add_launch("cudaLaunchKernel", 20, 5, 1);
    add_launch("cudaLaunchKernel", 30, 5, 2);
    add_launch("cudaLaunchKernel", 150, 2, 4);
    add_launch("cudaGraphLaunch", 210, 5, 3);
    add_kernel("gemm", 40, 60, 1);
    add_kernel("BatchPrefillWithPagedKVCacheKernel", 70, 110, 2);
    add_kernel("paged_attention_v2_kernel", 220, 230, 3);
    add_kernel("gemm", 230, 260, 3);
    add_kernel("other", 300, 310, 4);
  }
  const std::vector<EngineStep>& find() {
    summary_ = summarise_trace(trace_.table);
    return summary_.engine_steps;
  }

  TestTrace trace_;
  uint32_t thread_;
  uint32_t stream_;
  TraceSummary summary_;
};

TEST_F(EngineStepsTest, RangesGiveBatchKernelsAndIdle) {
  add_range("execute_context_2(10)_generation_0(0)", 0, 100);
  add_range("execute_context_0(0)_generation_2(2)", 200, 230);
  add_work();
  const auto& steps = find();
  ASSERT_EQ(steps.size(), 2U);
  const EngineStep& prefill = steps[0];
  EXPECT_EQ(prefill.mark, StepMark::kRange);
  EXPECT_EQ(prefill.step_class, StepClass::kPrefill);
  EXPECT_EQ(prefill.attention, StepClass::kPrefill);
  EXPECT_EQ(prefill.batch, (StepBatch{2, 10, 2, 10, 0, 0}));
  EXPECT_EQ(prefill.kernels, 2U);
  EXPECT_EQ(prefill.launches, 2U);
  EXPECT_EQ(prefill.graph_launches, 0U);
  EXPECT_EQ(prefill.work, (Span{40, 110}));
  EXPECT_EQ(prefill.whole(), (Span{0, 110}));
  EXPECT_EQ(prefill.idle_ns, 10);  // 60 to 70: the second kernel had been launched
  EXPECT_EQ(prefill.host_held_ns, 0);
  EXPECT_EQ(prefill.idle_before_ns, 0);
  EXPECT_EQ(prefill.longest_cause, IdleCause::kTurnaround);

  const EngineStep& decode = steps[1];
  EXPECT_EQ(decode.step_class, StepClass::kDecode);
  EXPECT_EQ(decode.attention, StepClass::kDecode);
  EXPECT_EQ(decode.kernels, 2U);
  EXPECT_EQ(decode.launches, 1U);
  EXPECT_EQ(decode.graph_launches, 1U);
  EXPECT_EQ(decode.work, (Span{220, 260}));
  EXPECT_EQ(decode.idle_ns, 0);
  // 110 to 220: 92 in nothing but the other launch of 2, 10 in the range, 5 in the replay, 5 until the kernel began.
  EXPECT_EQ(decode.idle_before_ns, 110);
  EXPECT_EQ(decode.longest_idle_ns, 110);
  EXPECT_EQ(decode.longest_cause, IdleCause::kLaunchStarved);
  EXPECT_EQ(decode.idle_by_cause_ns[static_cast<size_t>(IdleCause::kLaunchStarved)], 88);
  EXPECT_EQ(decode.idle_by_cause_ns[static_cast<size_t>(IdleCause::kHostCall)], 7);
}

TEST_F(EngineStepsTest, ClassesAddUp) {
  add_range("execute_context_2(10)_generation_0(0)", 0, 100);
  add_range("execute_context_0(0)_generation_2(2)", 200, 230);
  add_range("execute_context_0(0)_generation_2(4)", 400, 500);
  add_work();
  find();
  ASSERT_EQ(summary_.step_classes.size(), 3U);  // the last step launched nothing: a row without a device
  const StepClassSummary& no_device = summary_.step_classes[0];
  EXPECT_EQ(no_device.device, kNoId);
  EXPECT_EQ(no_device.steps, 1U);
  EXPECT_EQ(no_device.tokens, 4);
  const StepClassSummary& prefill = summary_.step_classes[1];
  EXPECT_EQ(prefill.step_class, StepClass::kPrefill);
  EXPECT_EQ(prefill.median_ns, 110);
  EXPECT_DOUBLE_EQ(*prefill.tokens_per_s, 10 / 110e-9);
  EXPECT_EQ(prefill.work_ns, 70);
  const StepClassSummary& decode = summary_.step_classes[2];
  EXPECT_EQ(decode.step_class, StepClass::kDecode);
  EXPECT_EQ(decode.median_ns, 60);
  EXPECT_EQ(decode.replayed, 1U);
  EXPECT_EQ(decode.main_cause, IdleCause::kLaunchStarved);
}

TEST_F(EngineStepsTest, NestedRangesAreOneStepAndFillInWhatTheOuterDoesNotSay) {
  add_range("step[DECODE bs=2]", 200, 230);
  add_range("execute_2_context_0(sq0sk0sqsq0sqsk0)_generation_2(sq2sk90sqsq2sqsk90)", 202, 228);
  add_work();
  const auto& steps = find();
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].host, (Span{200, 230}));
  EXPECT_EQ(steps[0].batch, (StepBatch{2, 2, 0, 0, 2, 2}));
  EXPECT_FALSE(steps[0].contradictory);
}

TEST_F(EngineStepsTest, NestedRangesThatDisagreeTellNothing) {
  add_range("step[DECODE bs=3]", 200, 230);
  add_range("execute_context_0(0)_generation_2(2)", 202, 228);
  add_work();
  const auto& steps = find();
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_TRUE(steps[0].contradictory);
  EXPECT_EQ(steps[0].step_class, StepClass::kUnknown);
  EXPECT_EQ(steps[0].batch, StepBatch());
  EXPECT_EQ(steps[0].attention, StepClass::kDecode);
}

TEST_F(EngineStepsTest, FunctionsOfAnEngineWhereItHasNoRanges) {
  add_range("vllm/v1/worker/gpu_worker.py(748): execute_model", 0, 100);
  add_range("vllm/v1/worker/gpu_model_runner.py(3830): execute_model", 5, 95);
  add_range("vllm/v1/worker/gpu_worker.py(748): execute_model", 200, 230);
  add_work();
  const auto& steps = find();
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0].mark, StepMark::kFrame);
  EXPECT_EQ(steps[0].step_class, StepClass::kPrefill);
  EXPECT_EQ(steps[1].step_class, StepClass::kDecode);
  EXPECT_EQ(steps[1].batch, StepBatch());
}

TEST_F(EngineStepsTest, ReplaysOfPagedAttentionWhereNothingElseTells) {
  add_work();
  const auto& steps = find();
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].mark, StepMark::kGraphReplay);
  EXPECT_EQ(steps[0].step_class, StepClass::kDecode);
  EXPECT_EQ(steps[0].host, (Span{210, 215}));
  EXPECT_EQ(steps[0].kernels, 2U);
}

// Another thread's steps come behind 10,000 of the first, a range within its last one, and both threads have a figure.
TEST_F(EngineStepsTest, FiguresAreOfAllStepsHoweverMany) {
  constexpr int64_t kMany = 10'000;
  for (int64_t i = 0; i < kMany; ++i) {
    add_range("execute_context_1(512)_generation_0(0)", 10 * i, 10 * i + 9);
  }
  thread_ = trace_.thread(1);
  for (int64_t i = 0; i < kMany + 1; ++i) {
    add_range("execute_context_0(0)_generation_2(2)", 10 * i, 10 * i + 5);
  }
  add_range("execute_context_0(0)_generation_2(2)", 10 * kMany + 1, 10 * kMany + 2);
  EXPECT_EQ(find().size(), 20'001U);
  ASSERT_EQ(summary_.step_classes.size(), 2U);
  EXPECT_EQ(summary_.step_classes[0].steps, 10'000U);
  EXPECT_EQ(summary_.step_classes[1].steps, 10'001U);
  EXPECT_EQ(summary_.step_classes[1].median_ns, 5);
  EXPECT_EQ(summary_.step_classes[1].tokens, 20'002);
  EXPECT_EQ(engine_step_bytes(trace_.table), 20'002 * 4 * sizeof(EngineStep));
}

TEST_F(EngineStepsTest, ATrainingStepIsNone) {
  add_range("ProfilerStep#3", 0, 230);
  add_range("Optimizer.step#AdamW.step", 205, 229);
  add_launch("cudaGraphLaunch", 210, 5, 3);
  add_kernel("flash_fwd_kernel", 220, 230, 3);
  EXPECT_TRUE(find().empty());
  EXPECT_TRUE(summary_.step_classes.empty());
}

// Of 1, 2, ... 300 ns: the 150th is the lower of the middle two, and 297 of 300 do not exceed 297. Of 298 steps the
// greatest may well lie below the 99th percentile of what they are a sample of.
TEST(StepClasses, TheMedianAndTheTail) {
  std::vector<EngineStep> steps(300);
  for (size_t i = 0; i < steps.size(); ++i) {
    steps[i].host = {0, static_cast<int64_t>(300 - i)};
    steps[i].batch.tokens = 3;
  }
  const auto classes = summarise_step_classes(steps);
  ASSERT_EQ(classes.size(), 1U);
  EXPECT_EQ(classes[0].median_ns, 150);
  EXPECT_EQ(classes[0].p99_ns, 297);
  EXPECT_EQ(classes[0].ran_ns, 300);  // all at once
  EXPECT_EQ(classes[0].tokens, 900);
  EXPECT_EQ(classes[0].requests, std::nullopt);
  steps[7].batch.tokens.reset();
  EXPECT_EQ(summarise_step_classes(steps)[0].tokens_per_s, std::nullopt);
  steps.pop_back();
  EXPECT_TRUE(summarise_step_classes(steps)[0].p99_ns);
  steps.pop_back();
  EXPECT_FALSE(summarise_step_classes(steps)[0].p99_ns);
}

// Forty decode steps, each with two kernels of 10 ns and 90 ns between, in which the host had not launched.
TEST_F(EngineStepsTest, DecodeThatWaitsForItsLaunchesIsAFinding) {
  for (int64_t i = 0; i < 40; ++i) {
    const int64_t at = 1'000 * i;
    add_range("execute_context_0(0)_generation_2(2)", at, at + 200);
    add_launch("cudaLaunchKernel", at + 5, 5, 2 * i + 1);
    add_launch("cudaLaunchKernel", at + 105, 5, 2 * i + 2);
    add_kernel("paged_attention_v2_kernel", at + 10, at + 20, 2 * i + 1);
    add_kernel("gemm", at + 110, at + 120, 2 * i + 2);
  }
  find();
  const auto finding = std::ranges::find(summary_.findings, "decode-launch-bound", &TraceFinding::pattern);
  ASSERT_NE(finding, summary_.findings.end());
  EXPECT_EQ(finding->cost_ns, 40 * 90);
  EXPECT_EQ(finding->window_ns, 39'110);
  EXPECT_NE(finding->remedy.find("graph"), std::string::npos);
}

}  // namespace
}  // namespace aaco
