// SPDX-License-Identifier: MIT
#include "kind/sweep/sharded_sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json/json.h"

namespace aaco {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

ShardedSweepPoint point_of(const std::string& change, std::vector<double> step_ns) {
  ShardedSweepPoint point;
  point.change = change;
  point.step_ns = std::move(step_ns);
  return point;
}

TEST(SweepJudgement, SaysWhatEachChangeDid) {
  const ShardedSweep sweep =
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
  EXPECT_EQ(Json(sweep)["points"][2]["verdict"], "equivalent");
}

TEST(SweepJudgement, NoneThatIsShownToBeFaster) {
  const ShardedSweep sweep = judge_sweep({point_of("", {100, 101, 99}), point_of("a=1", {100, 101.1, 99})}, 3);
  EXPECT_EQ(sweep.best, "");
}

TEST(ShardedSweepDocument, ComesBackFromJson) {
  ShardedSweep sweep = judge_sweep({point_of("", {100, 101, 99}), point_of("a=1", {80, 81, 79})}, 3);
  sweep.version = "1";
  sweep.bundle = "sessions/one";
  sweep.config = "one.yaml";
  sweep.overrides = {"b=2"};
  sweep.devices = {"cpu:0", "cpu:1"};
  sweep.points[0].point.sessions = {"sessions/two"};
  sweep.points[0].point.exposed_ns = {0, 1, 2};
  const Json json = Json(sweep);
  const auto read = read_sharded_sweep(json, "here");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(Json(*read), json);
  EXPECT_EQ(read->best, "a=1");
}

TEST(ShardedSweepDocument, RefusesWhatIsDamaged) {
  const Json json = Json(judge_sweep({point_of("", {100, 101}), point_of("a=1", {80, 81})}, 2));
  const auto expect_refused = [](const Json& damaged) {
    const auto read = read_sharded_sweep(damaged, "here");
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().message, HasSubstr("here: not what aaco overlap sweep wrote"));
  };
  for (const char* const member : {"kind", "version", "bundle", "config", "devices", "rounds", "points"}) {
    Json damaged = json;
    damaged.erase(member);
    expect_refused(damaged);
  }
  Json other = json;
  other["points"][1]["step_ns"][0] = 0;
  expect_refused(other);
  other = json;
  other["points"].erase(0);
  expect_refused(other);
  expect_refused(Json(7));
}

}  // namespace
}  // namespace aaco
