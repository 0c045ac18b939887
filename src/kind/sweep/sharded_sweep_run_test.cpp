// SPDX-License-Identifier: MIT
#include "kind/sweep/sharded_sweep_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kind/sharded/sharded_run.h"

namespace aaco {
namespace {

using ::testing::HasSubstr;

TEST(ShardedSweep, PointsAreOneChangeEach) {
  ShardedSweepRequest request;
  request.config = std::string(AACO_SOURCE_DIR) + "/configs/overlap/llama_nano.yaml";
  request.axes = {*parse_sweep_axis("fsdp.prefetch_depth=1,9", false), *parse_sweep_axis("NCCL_ALGO=Ring", true)};
  const auto points = sweep_points(request);
  ASSERT_TRUE(points) << points.error().message;
  ASSERT_EQ(points->size(), 4);
  EXPECT_EQ((*points)[0].change, "");
  EXPECT_EQ((*points)[1].failure, "");
  EXPECT_THAT((*points)[2].failure, HasSubstr("not from 1 to 3"));
  EXPECT_TRUE((*points)[3].is_variable);
  request.axes.clear();
  EXPECT_FALSE(sweep_points(request));
}

TEST(ShardedSweep, VariablesThatNothingReadsAreRefused) {
  const auto axis = parse_sweep_axis("RCCL_MAX_NCHANNELS=4", true);
  ASSERT_FALSE(axis);
  EXPECT_THAT(axis.error().hint, HasSubstr("NCCL_MAX_NCHANNELS"));
  EXPECT_FALSE(parse_sweep_axis("RCCL_ENABLE_SDMA=1", true));
  EXPECT_TRUE(parse_sweep_axis("HSA_ENABLE_SDMA=0,1", true));
  EXPECT_FALSE(parse_sweep_axis("=1", false));
  EXPECT_FALSE(parse_sweep_axis("fsdp.prefetch_depth", false));
}

TEST(ShardedSweep, EndedEarlyItHasTheRoundsThatAllPointsHave) {
  std::vector<ShardedSweepPoint> points(3);
  points[0].step_ns = {10, 11, 12};
  points[1].step_ns = {9, 8};
  points[1].exposed_ns = {1, 2};
  points[2].failure = "it failed";
  EXPECT_EQ(cut_to_whole_rounds(points), 2);
  EXPECT_THAT(points[0].step_ns, ::testing::ElementsAre(10, 11));
  EXPECT_THAT(points[1].exposed_ns, ::testing::ElementsAre(1, 2));
  EXPECT_TRUE(points[2].step_ns.empty());
}

// A time of 0 would be none, which the sweep's own reader refuses.
TEST(ShardedSweep, ATrainingWithoutAMeasuredStepHasNoTime) {
  ShardedDocument document;
  document.bundle = "sessions/one";
  document.ranks.resize(2);
  document.ranks[0].step_p50_ns = 10;
  document.ranks[1].rank = 1;
  ShardedSweepPoint point;
  const auto kept = keep_round(document, point);
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().message, "sessions/one: rank 1 measured no step");
  EXPECT_TRUE(point.step_ns.empty());
  document.ranks[1].step_p50_ns = 12;
  ASSERT_TRUE(keep_round(document, point));
  EXPECT_THAT(point.step_ns, ::testing::ElementsAre(12));
}

TEST(ShardedRun, ACapturedStepNeedsOneMoreThanItMeasures) {
  EXPECT_TRUE(expect_measured_step(1, 0, false));
  EXPECT_TRUE(expect_measured_step(2, 0, true));
  EXPECT_TRUE(expect_measured_step(10, 8, true));
  const auto alone = expect_measured_step(1, 0, true);
  ASSERT_FALSE(alone);
  EXPECT_EQ(alone.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(alone.error().message, HasSubstr("training.max_steps: of 1 step none would be measured, since"));
  const auto resumed = expect_measured_step(10, 9, true);
  ASSERT_FALSE(resumed);
  EXPECT_THAT(resumed.error().message, HasSubstr("behind the 9 of training.resume"));
  EXPECT_THAT(resumed.error().hint, HasSubstr("train 11 steps or more"));
}

}  // namespace
}  // namespace aaco
