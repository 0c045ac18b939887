// SPDX-License-Identifier: MIT
#include "record/events/loss_table.h"

#include <gtest/gtest.h>
#include <set>
#include <string>

namespace aaco {
namespace {

TEST(LossTable, ListsTheMostSevereFirstWithTheFirstExample) {
  LossTable losses;
  int builds = 0;
  const auto example = [&] {
    ++builds;
    return std::string("byte 7");
  };
  losses.add(Loss::kZeroDuration, 3);
  losses.add(Loss::kTruncated, example);
  losses.add(Loss::kTruncated, example);
  const auto entries = losses.entries();
  ASSERT_EQ(entries.size(), 2);
  EXPECT_EQ(entries[0].loss, Loss::kTruncated);
  EXPECT_EQ(entries[0].count, 2);
  EXPECT_EQ(entries[0].example, "byte 7");
  EXPECT_EQ(entries[1].count, 3);
  EXPECT_EQ(builds, 1);
}

TEST(LossTable, ASevereOneMeansInPart) {
  LossTable losses;
  EXPECT_FALSE(losses.in_part());
  losses.add(Loss::kOverlap);  // a warning
  EXPECT_FALSE(losses.in_part());
  losses.add(Loss::kDropped);
  EXPECT_TRUE(losses.in_part());
}

TEST(LossTable, AddsAnotherOnesCounts) {
  LossTable losses;
  LossTable other;
  losses.add(Loss::kOverlap, 1);
  other.add(Loss::kOverlap, 2);
  other.add(Loss::kNoTime, [] { return std::string("there"); });
  losses.add_all(other);
  EXPECT_EQ(losses.count(Loss::kOverlap), 3);
  EXPECT_EQ(losses.entries().front().example, "there");
}

TEST(LossTable, EveryLossHasItsWords) {
  std::set<std::string> names;
  for (size_t i = 0; i < kLosses; ++i) {
    const LossInfo& info = loss_info(static_cast<Loss>(i));
    ASSERT_NE(info.name, nullptr) << i;
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_GT(std::string(info.meaning).size(), 10) << info.name;
    EXPECT_GT(std::string(info.remedy).size(), 5) << info.name;
  }
}

}  // namespace
}  // namespace aaco
