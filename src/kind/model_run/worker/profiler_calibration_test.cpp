// SPDX-License-Identifier: MIT
#include "kind/model_run/worker/profiler_calibration.h"

#include <gtest/gtest.h>

namespace aaco {
namespace {

ProfilerCost cost(double per_node_ns, double bound_ns) {
  ProfilerCost made;
  made.per_node_ns = per_node_ns;
  made.bound_ns = bound_ns;
  made.resolution_ns = 1000;
  made.iterations = 50;
  return made;
}

TEST(ProfilerCostOverProcesses, OfOneIsItsOwn) {
  const auto all = over_processes({cost(1500, 300)});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->per_node_ns, 1500);
  EXPECT_EQ(all->bound_ns, 300);
  EXPECT_FALSE(over_processes({}));
}

// Median 1500; from there the processes reach |1000 - 1500| + 300 = 800, 0 + 100 = 100 and 100 + 200 = 300: two of the
// three keep to 300, and so does their median.
TEST(ProfilerCostOverProcesses, TheBoundHoldsForTheMedianOfTheProcesses) {
  const auto all = over_processes({cost(1000, 300), cost(1500, 100), cost(1600, 200)});
  EXPECT_EQ(all->per_node_ns, 1500);
  EXPECT_EQ(all->bound_ns, 300);
}

// Median 1250; they reach 250 + 10 and 250 + 20: both are needed.
TEST(ProfilerCostOverProcesses, OfTwoBothCount) {
  const auto all = over_processes({cost(1000, 10), cost(1500, 20)});
  EXPECT_EQ(all->per_node_ns, 1250);
  EXPECT_EQ(all->bound_ns, 270);
}

TEST(ProfilerCostOverProcesses, LossesOfEveryProcessAreCounted) {
  ProfilerCost lossy = cost(1500, 50);
  lossy.events_lost = 7;
  lossy.event_limit_hit = true;
  lossy.iterations = 20;
  lossy.dispatch_ns = 300;
  const auto all = over_processes({cost(1500, 300), lossy, lossy});
  EXPECT_EQ(all->events_lost, 14);
  EXPECT_TRUE(all->event_limit_hit);
  EXPECT_EQ(all->iterations, 20);
  EXPECT_EQ(all->dispatch_ns, 300);
}

}  // namespace
}  // namespace aaco
