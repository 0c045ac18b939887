// SPDX-License-Identifier: MIT
#include "kind/model_run/request/profile_budget.h"

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

TEST(ProfiledProcesses, AreHalfAsManyButThreeWhereThereAre) {
  const int64_t expected[] = {1, 2, 3, 3, 3, 3, 4, 4, 5, 5};
  for (int64_t processes = 1; processes <= 10; ++processes) {
    EXPECT_EQ(profiled_processes(processes), expected[processes - 1]) << processes;
  }
}

TEST(ProfiledProcesses, EachRunsOnceAndInOrder) {
  for (int64_t processes = 1; processes <= 40; ++processes) {
    int64_t next = 0;
    for (int64_t process = 0; process < processes; ++process) {
      if (const auto profiled = profiled_after(process, processes)) {
        EXPECT_EQ(*profiled, next++);
      }
    }
    EXPECT_EQ(next, profiled_processes(processes));
  }
  // Of five, after the second, the fourth and the fifth.
  EXPECT_FALSE(profiled_after(0, 5));
  EXPECT_EQ(profiled_after(1, 5), 0);
  EXPECT_FALSE(profiled_after(2, 5));
  EXPECT_EQ(profiled_after(3, 5), 1);
  EXPECT_EQ(profiled_after(4, 5), 2);
}

}  // namespace
}  // namespace aaco
