// SPDX-License-Identifier: MIT
#include "kind/sweep/report/sweep_members.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json/json.h"

namespace aaco::report {
namespace {

using testing::ElementsAre;

constexpr MetricInfo kStep{"step", "step", "ns", "end - start", "a step", "why"};

std::vector<SweepMember> members() {
  const MetricRow step{&kStep, kStep.title, kStep.unit, measured("step", 40)};
  return {{"batch 1", "", {"s/1", "s/2"}, {step}}, {"batch 8", "failed, s", {}, {step}}};
}

TEST(SweepMembers, FiguresAreNamedAfterTheirMemberAndLostOnesSayWhy) {
  const std::vector<MetricRow> rows = member_metrics(members());
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(Json(rows[0]), (Json{{"id", "batch 1.step"},
                                 {"title", "batch 1, step"},
                                 {"unit", "ns"},
                                 {"value", 40.0},
                                 {"interval", nullptr},
                                 {"quality", "measured"},
                                 {"help", "end - start"}}));
  EXPECT_EQ(rows[1].figure.id, "batch 8.step");
  EXPECT_FALSE(rows[1].figure.value);
  EXPECT_EQ(quality_text(rows[1].figure.quality), "no data: failed, s");
}

TEST(SweepMembers, ListsNameWhatIsLostAndTheSessions) {
  Section section;
  add_lost_members("Lost", members(), section);
  add_member_sessions("Sessions", members(), section);
  ASSERT_EQ(section.blocks.size(), 2U);
  EXPECT_THAT(std::get<Bullets>(section.blocks[0]).items, ElementsAre("batch 8: failed, s"));
  EXPECT_THAT(std::get<Bullets>(section.blocks[1]).items, ElementsAre("batch 1: s/1, s/2"));
  Section nothing;
  add_lost_members("Lost", {members().front()}, nothing);
  EXPECT_TRUE(nothing.blocks.empty());
}

TEST(SweepMembers, SharesAreInPercent) {
  const MetricValue share = percent_figure(0.5, Interval{0.25, 0.75}, "none");
  EXPECT_EQ(share.value, 50);
  EXPECT_EQ(share.interval->low, 25);
  EXPECT_EQ(share.interval->high, 75);
  EXPECT_EQ(quality_text(percent_figure({}, {}, "one batch").quality), "no data: one batch");
}

}  // namespace
}  // namespace aaco::report
