// SPDX-License-Identifier: MIT
#include "kind/sharded/analysis/weak_scaling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json/json.h"

namespace aaco {
namespace {

using ::testing::HasSubstr;

ShardedDocument run_of(int64_t ranks, double step_ns) {
  ShardedDocument run;
  run.bundle = "sessions/of_" + std::to_string(ranks);
  run.config = JsonValue(Json{{"training", {{"batch_size", 8}, {"output_dir", run.bundle}}}});
  run.mode = "fsdp, full_shard";
  run.setting.ranks = ranks;
  run.tokens = 1000 * ranks;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    ShardedRank one;
    one.rank = rank;
    one.step_p50_ns = step_ns - static_cast<double>(rank);  // the first is the slowest
    run.ranks.push_back(one);
  }
  return run;
}

// `gather_ns` on one communicator, `reduce_ns` on another.
ShardedDocument recorded(ShardedDocument run, double gather_ns, double reduce_ns) {
  OverlapFigures figures;
  for (const auto& [name, group, ns] :
       {std::tuple("all_gather", "gather", gather_ns), {"reduce_scatter", "reduce", reduce_ns}}) {
    CollectiveOverlap collective;
    collective.name = name;
    collective.group = group;
    collective.transfer_ns = ns;
    figures.collectives.push_back(collective);
    figures.transfer_ns += ns;
  }
  run.figures = figures;
  return run;
}

// With a ring, N ranks pass (N - 1) / N of the bytes over each link: 1/2, 3/4, 7/8. So 30 ns become 45, then 52.5.
TEST(WeakScaling, TransfersGrowAsABytesOfARingDo) {
  const auto found = weak_scaling({run_of(1, 90), recorded(run_of(2, 100), 10, 20)}, {4, 8});
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->rows.size(), 4);
  const RankScaling& two = found->rows[1];
  EXPECT_FALSE(two.predicted);
  EXPECT_DOUBLE_EQ(*two.step_ns, 100);
  EXPECT_DOUBLE_EQ(two.efficiency->low, 0.9);
  EXPECT_DOUBLE_EQ(two.tokens_per_s->low, 2000 / 100e-9);
  const RankScaling& four = found->rows[2];
  EXPECT_TRUE(four.predicted);
  EXPECT_EQ(four.ranks, 4);
  EXPECT_FALSE(four.step_ns) << "it was not measured";
  EXPECT_DOUBLE_EQ(four.transfer_ns, 45);
  EXPECT_DOUBLE_EQ(four.step_between_ns.low, 100) << "all of it hidden";
  EXPECT_DOUBLE_EQ(four.step_between_ns.high, 115) << "all that is more exposed";
  EXPECT_DOUBLE_EQ(four.efficiency->low, 90.0 / 115);
  EXPECT_DOUBLE_EQ(four.efficiency->high, 0.9);
  EXPECT_DOUBLE_EQ(four.tokens_per_s->high, 4000 / 100e-9);
  EXPECT_DOUBLE_EQ(found->rows[3].transfer_ns, 52.5);
  EXPECT_DOUBLE_EQ(found->rows[3].step_between_ns.high, 122.5);
  EXPECT_THAT(found->assumption, HasSubstr("Predicted from 2 ranks"));
  EXPECT_EQ(found->not_predicted, "");
}

// A communicator does one collective after the other: its transfers are the least that a step takes.
TEST(WeakScaling, AStepIsNotShorterThanItsBusiestCommunicator) {
  const auto found = weak_scaling({recorded(run_of(2, 100), 10, 90)}, {4});
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->rows[1].step_between_ns.low, 135);
  EXPECT_DOUBLE_EQ(found->rows[1].step_between_ns.high, 150);
  EXPECT_FALSE(found->rows[1].efficiency) << "one rank was not measured";
}

TEST(WeakScaling, WhatWasMeasuredIsNotPredicted) {
  const auto found = weak_scaling({recorded(run_of(4, 100), 10, 20), run_of(2, 95)}, {2, 4, 8});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->rows.size(), 3);
  EXPECT_FALSE(found->rows[1].predicted);
  EXPECT_NEAR(found->rows[2].transfer_ns, 30 * (7.0 / 8) / (3.0 / 4), 1e-9) << "from the largest";
}

TEST(WeakScaling, ThreeSessionsOfANumberHaveAnInterval) {
  const auto found = weak_scaling({run_of(1, 90), run_of(1, 100), run_of(1, 110)}, {4});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->rows.size(), 1);
  EXPECT_DOUBLE_EQ(*found->rows[0].step_ns, 100);
  EXPECT_LT(found->rows[0].step_between_ns.low, 100);
  EXPECT_GT(found->rows[0].step_between_ns.high, 100);
  EXPECT_THAT(found->not_predicted, HasSubstr("measure two"));
}

TEST(WeakScaling, NothingIsPredictedFromWhatWasNotRecorded) {
  EXPECT_THAT(weak_scaling({run_of(2, 100)}, {4})->not_predicted, HasSubstr("was not recorded"));
  ShardedDocument hybrid = recorded(run_of(4, 100), 10, 20);
  hybrid.mode = "fsdp, hybrid_shard";
  const auto found = weak_scaling({hybrid}, {8});
  EXPECT_EQ(found->rows.size(), 1);
  EXPECT_THAT(found->not_predicted, HasSubstr("hybrid_shard"));
  EXPECT_EQ(Json(*found)["assumption"], "");
}

// Whichever was named last.
TEST(WeakScaling, ThePredictionIsFromTheNewestThatWasRecorded) {
  ShardedDocument older = recorded(run_of(2, 100), 10, 20);
  older.created_utc = "2026-01-01T00:00:00Z";
  ShardedDocument newer = recorded(run_of(2, 100), 20, 40);
  newer.created_utc = "2026-01-02T00:00:00Z";
  ShardedDocument newest = run_of(2, 100);
  newest.created_utc = "2026-01-03T00:00:00Z";
  const auto found = weak_scaling({newer, older, newest}, {4});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->not_predicted, "");
  EXPECT_DOUBLE_EQ(found->rows[0].transfer_ns, 60);
  EXPECT_DOUBLE_EQ(found->rows[1].transfer_ns, 90);
  const auto unrecorded = weak_scaling({newer, run_of(4, 110)}, {8});
  ASSERT_TRUE(unrecorded);
  ASSERT_EQ(unrecorded->rows.size(), 3);
  EXPECT_DOUBLE_EQ(unrecorded->rows[2].transfer_ns, 105) << "from two: nothing is known of four";
  EXPECT_THAT(unrecorded->assumption, HasSubstr("Predicted from 2 ranks"));
}

TEST(WeakScaling, RefusesOtherDevicesAndWhatWasInterrupted) {
  const auto on = [](const std::string& kind, ShardedDocument run) {
    for (ShardedRank& rank : run.ranks) {
      rank.device = kind + ":" + std::to_string(rank.rank);
    }
    return run;
  };
  ShardedDocument two = on("cuda", run_of(2, 100));
  EXPECT_TRUE(weak_scaling({on("cuda", run_of(1, 90)), two}, {}));
  EXPECT_THAT(weak_scaling({on("cpu", run_of(1, 90)), two}, {}).error().message,
              HasSubstr("on cpu:0, then rank 0 on cuda:0"));
  two.ranks[1].interrupted = true;
  EXPECT_THAT(weak_scaling({on("cuda", run_of(1, 90)), two}, {}).error().message, HasSubstr("rank 1 was interrupted"));
}

TEST(WeakScaling, RefusesWhatIsNotTheSameWork) {
  EXPECT_FALSE(weak_scaling({}, {4}));
  ShardedDocument other = run_of(2, 100);
  other.tokens = 1000;  // strong scaling
  EXPECT_THAT(weak_scaling({run_of(1, 90), other}, {4}).error().message, HasSubstr("1000 tokens a step, then 500"));
  other = run_of(2, 100);
  (*other.config)["training"]["batch_size"] = 4;
  EXPECT_THAT(weak_scaling({run_of(1, 90), other}, {4}).error().message, HasSubstr("configurations differ"));
  other = run_of(2, 100);
  other.ranks.clear();
  EXPECT_THAT(weak_scaling({run_of(1, 90), other}, {4}).error().message, HasSubstr("no step was measured"));
}

}  // namespace
}  // namespace aaco
