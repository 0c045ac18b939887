// SPDX-License-Identifier: MIT
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/kernels/test_values.h"
#include "device/ops/op_work.h"

namespace aaco {
namespace {

using ::testing::FloatNear;
using ::testing::Pointwise;

// Position 0: no turn of the first pair, a quarter of the second; position 1: a half, and by (3, 4) / 5.
const std::vector<float> kTable{1, 0, 0, 1, -1, 0, 0.6F, 0.8F};

RotaryArgs turn(const std::vector<float>& in, std::vector<float>& out) {
  return {.in = in.data(),
          .out = out.data(),
          .table = kTable.data(),
          .rows = 3,
          .pitch = 9,
          .heads = 2,
          .head_dim = 4,
          .length = 2};
}

// Three rows, of the positions 0, 1 and 0 again; each has two heads and an element that is not its own.
TEST(Rotary, TurnsPairsOfNeighboursByTheirPosition) {
  const std::vector<float> in{1, 2, 3, 4, 5, 6, 7, 8, -1,  //
                              1, 2, 3, 4, 5, 6, 7, 8, -1,  //
                              0, 0, 1, 0, 0, 0, 0, 1, -1};
  std::vector<float> out(27, 99);
  run_on_cpu(turn(in, out));
  EXPECT_THAT(out, Pointwise(FloatNear(1e-6F), std::vector<float>{1,  2,  -4,    3,    5,  6,  -8,    7,     99,  //
                                                                  -1, -2, -1.4F, 4.8F, -5, -6, -2.2F, 10.4F, 99,
                                                                  0,  0,  0,     1,    0,  0,  -1,    0,     99}));
}

TEST(Rotary, InverseUndoesIt) {
  const std::vector<float> in = random_values(27, 3);
  std::vector<float> values = in;
  RotaryArgs args = turn(values, values);
  run_on_cpu(args);
  EXPECT_NE(values, in);
  args.inverse = 1;
  run_on_cpu(args);
  EXPECT_THAT(values, Pointwise(FloatNear(1e-6F), in));
}

// A turn keeps lengths, and the angle between a query and a key at equal distances, whatever their positions.
TEST(Rotary, ProductsDependOnTheDistanceAlone) {
  constexpr int32_t kLength = 6;
  std::vector<float> table;
  for (int32_t p = 0; p < kLength; ++p) {
    table.push_back(std::cos(0.7F * static_cast<float>(p)));
    table.push_back(std::sin(0.7F * static_cast<float>(p)));
  }
  const auto turned = [&](float x, float y) {
    std::vector<float> rows;
    for (int32_t p = 0; p < kLength; ++p) {
      rows.push_back(x);
      rows.push_back(y);
    }
    run_on_cpu(RotaryArgs{.in = rows.data(),
                          .out = rows.data(),
                          .table = table.data(),
                          .rows = kLength,
                          .pitch = 2,
                          .heads = 1,
                          .head_dim = 2,
                          .length = kLength});
    return rows;
  };
  const std::vector<float> query = turned(1, 2);
  const std::vector<float> key = turned(-3, 0.5F);
  const auto product = [&](size_t q, size_t k) {
    return query[2 * q] * key[2 * k] + query[2 * q + 1] * key[2 * k + 1];
  };
  EXPECT_NEAR(product(2, 0), product(5, 3), 1e-5);
  EXPECT_GT(std::abs(product(2, 0) - product(3, 0)), 0.1);
}

TEST(RotaryWork, KnowsItsRows) {
  const std::vector<float> in(27);
  std::vector<float> out(27);
  const OpWork work = work_of(turn(in, out));
  EXPECT_EQ(work.flops, 3 * 3 * 8);
  ASSERT_EQ(work.arrays.size(), 3U);
  EXPECT_EQ(work.arrays[0].bytes, (2 * 9 + 8) * 4);
  EXPECT_EQ(work.arrays[0].bytes_used, 24 * 4);
  EXPECT_EQ(work.arrays[0].pitch_bytes, 36);
  EXPECT_EQ(work.arrays[0].row_bytes, 32);
  EXPECT_EQ(work.arrays[1].bytes, 8 * 4);
  EXPECT_EQ(work.arrays[2].access, Access::kWrite);
}

}  // namespace
}  // namespace aaco
