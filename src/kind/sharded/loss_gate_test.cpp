// SPDX-License-Identifier: MIT
#include "kind/sharded/loss_gate.h"

#include <cmath>
#include <gtest/gtest.h>

namespace aaco {
namespace {

using Losses = std::vector<double>;

bool passes(const Losses& first, const Losses& second, const Losses& alone) {
  return loss_gate("losses", {&first, &second}, alone, 0.01).passed;
}

TEST(LossGate, ComparesTheMeanOverRanksWithOneProcess) {
  EXPECT_TRUE(passes({4, 3}, {2, 1}, {3, 2}));
  EXPECT_TRUE(passes({4, 3}, {2, 1}, {3.009, 2}));
  EXPECT_FALSE(passes({4, 3}, {2, 1}, {3, 2.011}));
}

TEST(LossGate, FailsWhereALossIsNoNumber) {
  EXPECT_FALSE(passes({4, NAN}, {2, 1}, {3, 2}));
  EXPECT_FALSE(passes({NAN, 3}, {2, 1}, {3, 2}));  // the number of a later step does not hide it
  EXPECT_FALSE(passes({4, 3}, {2, 1}, {NAN, 2}));
  EXPECT_FALSE(passes({NAN, 3}, {2, 1}, {NAN, 2}));
  EXPECT_FALSE(passes({INFINITY, 3}, {2, 1}, {INFINITY, 2}));
}

TEST(LossGate, FailsWhereNothingOrNotAllIsCompared) {
  EXPECT_FALSE(passes({}, {}, {}));
  EXPECT_FALSE(passes({4, 3}, {2}, {3, 2}));
  EXPECT_FALSE(loss_gate("losses", {}, {3}, 0.01).passed);
}

}  // namespace
}  // namespace aaco
