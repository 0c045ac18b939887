// SPDX-License-Identifier: MIT
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/kernels/training/training_clock.h"
#include "device/ops/op_work.h"

namespace aaco {
namespace {

using ::testing::ElementsAre;

// beta of a half and a quarter: 1 / (1 - 1/2^step) and 1 / (1 - 1/4^step) are plain fractions.
TickArgs ticks(TrainingClock& clock, const std::vector<float>& loss, std::vector<float>& history) {
  return {.clock = &clock,
          .loss = loss.data(),
          .history = history.data(),
          .rows = static_cast<int64_t>(loss.size()),
          .history_length = static_cast<int64_t>(history.size()),
          .batches = 3,
          .warmup_steps = 4,
          .rate = 0.5F,
          .weight_decay = 0.25F,
          .beta1 = 0.5F,
          .beta2 = 0.25F};
}

TEST(Tick, BeginsTheFirstStepAndLeavesTheHistory) {
  TrainingClock clock;
  std::vector<float> history{-1, -2};
  run_on_cpu(ticks(clock, {10, 20}, history));
  EXPECT_EQ(clock.step, 1);
  EXPECT_EQ(clock.batch, 0);
  EXPECT_EQ(clock.rate, 0.125F);  // a quarter of the way
  EXPECT_EQ(clock.decay, 1 - 0.125F * 0.25F);
  EXPECT_EQ(clock.inverse_correction1, 2);
  EXPECT_EQ(clock.inverse_correction2, 4.0F / 3);
  EXPECT_THAT(history, ElementsAre(-1, -2));
}

TEST(Tick, KeepsTheMeanLossOfEachStepInARing) {
  TrainingClock clock;
  std::vector<float> history{-1, -2};
  std::vector<int32_t> batches;
  std::vector<float> rates;
  for (const float loss : {0.0F, 1.0F, 2.0F, 5.0F, 8.0F}) {  // the first is of no step
    run_on_cpu(ticks(clock, {loss, loss + 1}, history));
    batches.push_back(clock.batch);
    rates.push_back(clock.rate);
  }
  EXPECT_THAT(history, ElementsAre(5.5F, 8.5F));  // of steps 3 and 4
  EXPECT_EQ(clock.step, 5);
  EXPECT_THAT(batches, ElementsAre(0, 1, 2, 0, 1));
  EXPECT_THAT(rates, ElementsAre(0.125F, 0.25F, 0.375F, 0.5F, 0.5F));
  EXPECT_EQ(clock.inverse_correction1, 32.0F / 31);
  EXPECT_EQ(clock.inverse_correction2, 1024.0F / 1023);
}

TEST(Tick, NeedsNoLoss) {
  TrainingClock clock;
  clock.step = 7;
  std::vector<float> history{-1};
  TickArgs args = ticks(clock, {}, history);
  args.loss = nullptr;
  run_on_cpu(args);
  EXPECT_EQ(clock.step, 8);
  EXPECT_THAT(history, ElementsAre(-1));
}

TEST(TrainingClock, HasTheRateAtOnceWithoutAWarmUp) {
  const TrainingClock clock = clock_at({.rate = 0.5F}, 1);
  EXPECT_EQ(clock.rate, 0.5F);
  EXPECT_EQ(clock.decay, 1);
}

TEST(TrainingClock, PowersAreThoseOfTheLibrary) {
  for (const double base : {0.0, 0.5, 0.9, 0.999, 1.0}) {
    for (const int32_t exponent : {0, 1, 2, 3, 7, 64, 1000, 123457}) {
      const double want = std::pow(base, exponent);
      EXPECT_NEAR(power_of(base, exponent), want, 1e-11 * want) << base << " to " << exponent;
    }
  }
}

TEST(TickWork, ChangesTheClockAndTheHistory) {
  TrainingClock clock;
  const std::vector<float> loss(5);
  std::vector<float> history(9);
  const OpWork work = work_of(ticks(clock, loss, history));
  EXPECT_TRUE(work.order_free);
  EXPECT_EQ(work.flops, 5);
  ASSERT_EQ(work.arrays.size(), 3U);
  EXPECT_EQ(work.arrays[0].bytes, static_cast<int64_t>(sizeof(TrainingClock)));
  EXPECT_EQ(work.arrays[0].access, Access::kReadWrite);
  EXPECT_EQ(work.arrays[2].access, Access::kReadWrite);
  EXPECT_EQ(work.arrays[2].bytes, 36);
  EXPECT_EQ(work.arrays[2].bytes_used, 4);
}

}  // namespace
}  // namespace aaco
