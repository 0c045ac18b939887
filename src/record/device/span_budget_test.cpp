// SPDX-License-Identifier: MIT
#include "record/device/span_budget.h"

#include <gtest/gtest.h>

namespace aaco {
namespace {

constexpr int64_t kMs = 1'000'000;
using Turn = SpanBudget::Turn;

TEST(SpanBudget, WithoutALimitItNeverPauses) {
  SpanBudget budget(0, 0);
  EXPECT_EQ(budget.look(10'000 * kMs, 10'000 * kMs), Turn::kGoOn);
}

TEST(SpanBudget, WithinItsShareItNeverPauses) {
  SpanBudget budget(30'000, 0);  // 3 %
  EXPECT_EQ(budget.look(1000 * kMs, 30 * kMs), Turn::kGoOn);
}

// 3 % of 600 ms are 18 ms. It took 30: 1000 ms are needed for those alone, and the next span takes 30 again, of which
// its own 500 ms bring 15: 60 ms / 3 % - 500 ms = 1500 ms.
TEST(SpanBudget, PausesUntilTheNextSpanFits) {
  SpanBudget budget(30'000, 0);
  EXPECT_EQ(budget.look(400 * kMs, 30 * kMs), Turn::kGoOn);  // a span is not shorter than 500 ms
  EXPECT_EQ(budget.look(600 * kMs, 30 * kMs), Turn::kPause);
  EXPECT_TRUE(budget.is_paused());
  EXPECT_EQ(budget.look(1499 * kMs, 30 * kMs), Turn::kGoOn);
  EXPECT_EQ(budget.look(1500 * kMs, 30 * kMs), Turn::kResume);
  EXPECT_EQ(budget.span_start_ns(), 1500 * kMs);
  EXPECT_EQ(budget.look(1990 * kMs, 59 * kMs), Turn::kGoOn);
  EXPECT_EQ(budget.look(2000 * kMs, 60 * kMs), Turn::kPause);  // 3 % of 2 s, but 6 % of this span
}

// What was allowed meanwhile is not saved up within the span.
TEST(SpanBudget, BeginsASpanWhereAnotherProfilerHasEnded) {
  SpanBudget budget(30'000, 0);
  budget.begin_span(1000 * kMs, 10 * kMs);
  EXPECT_FALSE(budget.is_paused());
  EXPECT_EQ(budget.span_start_ns(), 1000 * kMs);
  EXPECT_EQ(budget.look(1400 * kMs, 40 * kMs), Turn::kGoOn);   // shorter than a span
  EXPECT_EQ(budget.look(1500 * kMs, 26 * kMs), Turn::kPause);  // 16 ms of this span's 500, of which 15 are allowed
}

// A collector that takes 10 % of the time it records, looked at each 250 ms for two minutes.
TEST(SpanBudget, KeepsTheMean) {
  SpanBudget budget(30'000, 0);
  uint64_t cost_ns = 0;
  int64_t now_ns = 0;
  for (; now_ns < 120'000 * kMs; now_ns += 250 * kMs) {
    cost_ns += budget.is_paused() ? 0 : 25 * kMs;
    static_cast<void>(budget.look(now_ns, cost_ns));
  }
  const double share = static_cast<double>(cost_ns) / static_cast<double>(now_ns);
  EXPECT_LE(share, 0.03);
  EXPECT_GE(share, 0.029);  // the next span's 75 ms at most are still to come, of 3600
}

}  // namespace
}  // namespace aaco
