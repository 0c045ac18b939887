// SPDX-License-Identifier: MIT
#include "experiment/profile_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aaco {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(ProfileBudget, IsWhatWasAskedForWhereItFits) {
  EXPECT_EQ(profile_budget("20", 100, 90).iterations, 20);
  EXPECT_THAT(profile_budget("20", 100, 90).note, IsEmpty());
  EXPECT_EQ(profile_budget("auto", 100, 90).iterations, 50);
  EXPECT_THAT(profile_budget("auto", 100, 90).note, IsEmpty());
}

TEST(ProfileBudget, FewerThanAskedForAreSaid) {
  const ProfileBudget budget = profile_budget("1000", 100, 90);
  EXPECT_EQ(budget.iterations, 50);
  EXPECT_THAT(budget.note, HasSubstr("50 of 1000 iterations: they are enough"));
}

// 900,000 / 30,000 = 30 runs, 5 of them warm-up; 100,000 / 9,000 = 11 iterations.
TEST(ProfileBudget, KeepsWithinTheEventsAndTheRows) {
  EXPECT_EQ(profile_budget("auto", 30'000, 90).iterations, 25);
  EXPECT_EQ(profile_budget("auto", 100, 9'000).iterations, 11);
  EXPECT_THAT(profile_budget("40", 30'000, 90).note, HasSubstr("25 of 40 iterations: the profiler would drop"));
  EXPECT_THAT(profile_budget("40", 100, 9'000).note, HasSubstr("11 of 40 iterations: a profile is kept to"));
}

TEST(ProfileBudget, IsNeverNone) {
  EXPECT_EQ(profile_budget("auto", 10'000'000, 1).iterations, 1);
  EXPECT_EQ(profile_budget("auto", 0, 0).iterations, 50);
}

}  // namespace
}  // namespace aaco
