// SPDX-License-Identifier: MIT
#include "analysis/model_run/link/token_kernels.h"

#include <gtest/gtest.h>

namespace aaco {
namespace {

KernelRow kernel(int64_t iteration, int64_t start_ns, int64_t end_ns) {
  KernelRow row;
  row.iter_idx = iteration;
  row.activity = NodeActivity::kDeviceKernel;
  row.kernel_name = "k";
  row.t_start_ns = start_ns;
  row.t_end_ns = end_ns;
  row.dur_ns = end_ns - start_ns;
  return row;
}

// A prompt's run until 1000, and the tokens after it: until 1200, with kernels 1050 to 1100 and, on another stream,
// 1080 to 1120; and until 1300, with one kernel from 1250 to 1310.
Recording decode() {
  Recording recording;
  recording.facts.device_kind = DeviceKind::kGpu;
  recording.facts.prompt_tokens = 8;
  recording.iterations = {{0, 5, IterationPhase::kWarmup, 0, 1000, 0, {}},
                          {0, 6, IterationPhase::kProfile, 1010, 1200, 0, 1},
                          {0, 7, IterationPhase::kProfile, 1210, 1300, 0, 2}};
  recording.kernels = {kernel(5, 100, 900), kernel(6, 1050, 1100), kernel(6, 1080, 1120), kernel(7, 1250, 1310)};
  KernelRow enqueue = kernel(7, 1210, 1290);
  enqueue.activity = NodeActivity::kHostEnqueue;
  recording.kernels.push_back(enqueue);
  return recording;
}

TEST(TokenKernels, EachTokenHasItsKernelsAndTheTimeSinceTheOneBefore) {
  const auto works = token_works(decode());
  ASSERT_EQ(works.size(), 2U);
  EXPECT_EQ(works[0].kernels, 2);
  EXPECT_EQ(works[0].active_ns, 70);  // 1050 to 1120
  EXPECT_EQ(works[0].wall_ns, 200);
  EXPECT_EQ(works[1].kernels, 1);
  EXPECT_EQ(works[1].active_ns, 50);  // cut at the token's end
  EXPECT_EQ(works[1].wall_ns, 100);
}

TEST(TokenKernels, FiguresAreOverAllTokens) {
  const Recording recording = decode();
  Analysis analysis;
  const Context context{recording, analysis, {}, {}, false};
  const auto metrics = token_kernel_metrics(context);
  ASSERT_EQ(metrics.size(), 2U);
  EXPECT_DOUBLE_EQ(*metrics[0].value, 1.5);
  EXPECT_DOUBLE_EQ(*metrics[1].value, 120.0 / 300);
}

TEST(TokenKernels, WithoutRecordsOfTheDeviceThereIsNoData) {
  Recording recording = decode();
  recording.kernels.clear();
  Analysis analysis;
  for (const MetricValue& metric : token_kernel_metrics({recording, analysis, {}, {}, false})) {
    EXPECT_FALSE(metric.value) << metric.id;
  }
  recording.facts.prompt_tokens = 0;
  EXPECT_TRUE(token_kernel_metrics({recording, analysis, {}, {}, false}).empty());
}

}  // namespace
}  // namespace aaco
