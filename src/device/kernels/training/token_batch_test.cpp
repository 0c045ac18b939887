// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>

#include "device/ops/op_work.h"

namespace aaco {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

// Two batches of two sequences of three tokens and the one behind: 0 to 15.
struct TwoBatches {
  std::vector<int32_t> tokens = std::vector<int32_t>(16);
  TrainingClock clock{};
  std::vector<int32_t> inputs = std::vector<int32_t>(6, 99);
  std::vector<int32_t> targets = std::vector<int32_t>(6, 99);

  TwoBatches() { std::iota(tokens.begin(), tokens.end(), 0); }
  TokenBatchArgs args() {
    return {.tokens = tokens.data(),
            .clock = &clock,
            .inputs = inputs.data(),
            .targets = targets.data(),
            .batches = 2,
            .sequences = 2,
            .length = 3};
  }
};

TEST(TokenBatch, IsTheClocksAndItsTargetsAreOneFurther) {
  TwoBatches data;
  data.clock.batch = 1;
  run_on_cpu(data.args());
  EXPECT_THAT(data.inputs, ElementsAre(8, 9, 10, 12, 13, 14));
  EXPECT_THAT(data.targets, ElementsAre(9, 10, 11, 13, 14, 15));
}

TEST(TokenBatch, OutOfRangeIsNoToken) {
  for (const int32_t batch : {-1, 2}) {
    TwoBatches data;
    data.clock.batch = batch;
    run_on_cpu(data.args());
    EXPECT_THAT(data.inputs, Each(-1));
    EXPECT_THAT(data.targets, Each(-1));
  }
}

TEST(TokenBatchWork, TouchesOneBatchOfAll) {
  TwoBatches data;
  const OpWork work = work_of(data.args());
  EXPECT_EQ(work.flops, 0);
  ASSERT_EQ(work.arrays.size(), 4U);
  EXPECT_EQ(work.arrays[0].bytes, 64);
  EXPECT_EQ(work.arrays[0].bytes_used, 32);
  EXPECT_EQ(work.arrays[1].access, Access::kRead);
  EXPECT_EQ(work.arrays[3].bytes, 24);
}

}  // namespace
}  // namespace aaco
