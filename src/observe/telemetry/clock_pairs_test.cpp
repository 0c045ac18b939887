// SPDX-License-Identifier: MIT
#include "observe/telemetry/clock_pairs.h"

#include <gtest/gtest.h>

namespace aaco {
namespace {

// The session clock advances by what the next reading of it is told to take; the second of three is the narrowest.
int64_t now_ns = 0;
size_t reading = 0;
constexpr int64_t kSteps[] = {0, 500, 0, 40, 0, 90};

TEST(ClockPairs, of_several_readings_the_narrowest_is_kept) {
  now_ns = 1'000;
  reading = 0;
  CollectorOptions options;
  options.now_ns = [] { return now_ns += kSteps[reading++ % 6]; };
  options.wall_ns = [] { return now_ns + 7'000'000; };
  options.boot_ns = [] { return now_ns + 11; };
  const std::vector<ClockPairRow> pairs = read_clock_pairs(options);
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0].clock, "wall");
  EXPECT_EQ(pairs[0].t_ns, 1'500);
  EXPECT_EQ(pairs[0].width_ns, 40);
  EXPECT_EQ(pairs[0].source_ns, 7'001'500);
  EXPECT_EQ(pairs[1].clock, "boot");
  EXPECT_EQ(pairs[1].source_ns, pairs[1].t_ns + 11);
}

// Of this machine: each reading lies within a second of the session clock's own, and is no slower than a system call.
TEST(ClockPairs, of_this_machine) {
  for (const ClockPairRow& pair : read_clock_pairs({})) {
    EXPECT_GE(pair.width_ns, 0);
    EXPECT_LT(pair.width_ns, 1'000'000'000) << pair.clock;
    EXPECT_GT(pair.source_ns, 0);
  }
}

}  // namespace
}  // namespace aaco
