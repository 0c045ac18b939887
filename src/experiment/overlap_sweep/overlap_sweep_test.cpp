// SPDX-License-Identifier: MIT
#include "experiment/overlap_sweep/overlap_sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"

namespace aaco {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

OverlapSweepPoint point_of(const std::string& change, std::vector<double> step_ns) {
  OverlapSweepPoint point;
  point.change = change;
  point.step_ns = std::move(step_ns);
  return point;
}

TEST(SweepJudgement, SaysWhatEachChangeDid) {
  const OverlapSweep sweep =
      judge_sweep({point_of("", {100, 101, 99, 100, 102}), point_of("a=1", {80, 81, 79, 80, 82}),
                   point_of("b=1", {100.1, 101, 99.1, 100, 102}), point_of("c=1", {120, 121, 119, 120, 122}),
                   point_of("d=1", {70, 150, 99, 130, 80})},
                  5);
  EXPECT_EQ(sweep.points[0].words, "");
  EXPECT_EQ(sweep.points[1].words, "faster");
  EXPECT_EQ(sweep.points[2].words, "changed nothing (within 2 %)");
  EXPECT_EQ(sweep.points[3].words, "slower");
  EXPECT_THAT(sweep.points[4].words, StartsWith("not shown to change anything"));
  EXPECT_EQ(sweep.best, "a=1");
  EXPECT_THAT(sweep_text(sweep), HasSubstr("best    a=1"));
  EXPECT_EQ(sweep_json(sweep)["points"][2]["verdict"], "equivalent");
}

TEST(SweepJudgement, NoneThatIsShownToBeFaster) {
  const OverlapSweep sweep = judge_sweep({point_of("", {100, 101, 99}), point_of("a=1", {100, 101.1, 99})}, 3);
  EXPECT_EQ(sweep.best, "");
  EXPECT_THAT(sweep_text(sweep), HasSubstr("none is shown to be faster"));
}

TEST(OverlapSweep, PointsAreOneChangeEach) {
  OverlapSweepRequest request;
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

TEST(OverlapSweep, VariablesThatNothingReadsAreRefused) {
  const auto axis = parse_sweep_axis("RCCL_MAX_NCHANNELS=4", true);
  ASSERT_FALSE(axis);
  EXPECT_THAT(axis.error().hint, HasSubstr("NCCL_MAX_NCHANNELS"));
  EXPECT_FALSE(parse_sweep_axis("RCCL_ENABLE_SDMA=1", true));
  EXPECT_TRUE(parse_sweep_axis("HSA_ENABLE_SDMA=0,1", true));
  EXPECT_FALSE(parse_sweep_axis("=1", false));
  EXPECT_FALSE(parse_sweep_axis("fsdp.prefetch_depth", false));
}

}  // namespace
}  // namespace aaco
