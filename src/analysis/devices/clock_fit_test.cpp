// SPDX-License-Identifier: MIT
#include "analysis/devices/clock_fit.h"

#include <cmath>
#include <gtest/gtest.h>

namespace aaco {
namespace {

constexpr int64_t kEpoch = 1'780'000'000'000'000'000;  // of a wall clock: a double holds it to 256 ns only

// Pairs a second apart, of a clock that the session clock gains `ppm` on: each read where in the span `at` says.
std::vector<ClockPairRow> pairs_of(int count, double ppm, int64_t width_ns, double (*at)(int)) {
  std::vector<ClockPairRow> pairs;
  for (int i = 0; i < count; ++i) {
    const int64_t elapsed = int64_t{1'000'000'000} * i;
    const double session = 5e9 + static_cast<double>(elapsed) * (1 + ppm / 1e6);
    pairs.push_back({"wall", static_cast<int64_t>(std::llround(session - at(i) * static_cast<double>(width_ns))),
                     width_ns, kEpoch + elapsed});
  }
  return pairs;
}

TEST(ClockFit, a_known_drift_is_found_within_its_bound) {
  for (const double ppm : {0.0, 20.0, -37.5, 100.0}) {
    // Read early and late in the span in turns.
    const auto pairs = pairs_of(60, ppm, 400, [](int i) { return i % 2 == 0 ? 0.1 : 0.9; });
    const auto fit = fit_clock(pairs);
    ASSERT_TRUE(fit);
    EXPECT_EQ(fit->pairs, 60);
    EXPECT_NEAR(*fit->drift_ppm, ppm, 0.02);  // 400 ns over a minute
    EXPECT_EQ(fit->missed_pairs, 0);
    EXPECT_GE(fit->bound_ns, 200);
    EXPECT_LE(fit->bound_ns, 400);
    for (int i = 0; i < 60; ++i) {
      const double truth = 5e9 + 1e9 * i * (1 + ppm / 1e6);
      EXPECT_LE(std::abs(fit->to_session_ns(kEpoch + int64_t{1'000'000'000} * i) - truth), fit->bound_ns);
    }
  }
}

// One pair was read while the thread was stopped for a millisecond: it counts for little.
TEST(ClockFit, a_wide_pair_hardly_moves_the_line) {
  auto pairs = pairs_of(20, 10, 100, [](int) { return 0.5; });
  pairs[7].t_ns -= 1'000'000;
  pairs[7].width_ns += 1'000'000;
  const auto fit = fit_clock(pairs);
  EXPECT_NEAR(*fit->drift_ppm, 10, 0.001);
  EXPECT_EQ(fit->missed_pairs, 0);
  EXPECT_NEAR(fit->to_session_ns(kEpoch), 5e9, 5);
}

// The wall clock is set back by half a second in the middle: no line goes through, and the bound says so.
TEST(ClockFit, a_clock_that_was_set_is_named) {
  auto pairs = pairs_of(20, 0, 100, [](int) { return 0.5; });
  for (size_t i = 10; i < pairs.size(); ++i) {
    pairs[i].source_ns -= 500'000'000;
  }
  const auto fit = fit_clock(pairs);
  EXPECT_GT(fit->missed_pairs, 10);
  EXPECT_GT(fit->bound_ns, 100'000'000);
}

TEST(ClockFit, one_pair_gives_no_drift) {
  const std::vector<ClockPairRow> single{{"boot", 1'000, 50, 9'000}};
  const auto fit = fit_clock(single);
  ASSERT_TRUE(fit);
  EXPECT_FALSE(fit->drift_ppm);
  EXPECT_EQ(fit->bound_ns, 25);
  EXPECT_EQ(fit->to_session_ns(9'010), 1'035);
  EXPECT_FALSE(fit_clock({}));
}

TEST(ClockFit, each_clock_has_a_line_of_its_own) {
  std::vector<ClockPairRow> pairs = pairs_of(3, 0, 10, [](int) { return 0.5; });
  pairs.push_back({"boot", 1'000, 50, 9'000});
  const auto fits = fit_clocks(pairs);
  ASSERT_EQ(fits.size(), 2U);
  EXPECT_EQ(fits[0].clock, "boot");
  EXPECT_EQ(fits[1].clock, "wall");
  EXPECT_EQ(fits[1].pairs, 3);
}

}  // namespace
}  // namespace aaco
