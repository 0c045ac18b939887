// SPDX-License-Identifier: MIT
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>

#include "device/kernels/test_values.h"
#include "device/ops/op_work.h"
#include "device/ops/reduce_plan.h"

namespace aaco {
namespace {

using ::testing::ElementsAre;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
const float kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<float> reduce(const std::vector<float>& in, int64_t rows, int64_t cols, ReduceOp op, ReduceAxis axis,
                          std::vector<float> out = {}) {
  const bool accumulate = !out.empty();
  out.resize(static_cast<size_t>(axis == ReduceAxis::kAlongRow ? rows : cols), kNan);
  run_on_cpu(ReduceArgs{.in = in.data(),
                        .out = out.data(),
                        .rows = rows,
                        .cols = cols,
                        .op = op,
                        .axis = axis,
                        .accumulate = accumulate ? 1 : 0});
  return out;
}

TEST(Reduce, GivesKnownValuesAlongBothAxes) {
  const std::vector<float> in{1, 2, 3, -4, -5, -6};  // [2, 3]
  EXPECT_THAT(reduce(in, 2, 3, ReduceOp::kSum, ReduceAxis::kAlongRow), ElementsAre(6, -15));
  EXPECT_THAT(reduce(in, 2, 3, ReduceOp::kMean, ReduceAxis::kAlongRow), ElementsAre(2, -5));
  EXPECT_THAT(reduce(in, 2, 3, ReduceOp::kMax, ReduceAxis::kAlongRow), ElementsAre(3, -4));
  EXPECT_THAT(reduce(in, 2, 3, ReduceOp::kSum, ReduceAxis::kAlongColumn), ElementsAre(-3, -3, -3));
  EXPECT_THAT(reduce(in, 2, 3, ReduceOp::kMean, ReduceAxis::kAlongColumn), ElementsAre(-1.5F, -1.5F, -1.5F));
  EXPECT_THAT(reduce(in, 2, 3, ReduceOp::kMax, ReduceAxis::kAlongColumn), ElementsAre(1, 2, 3));
  EXPECT_THAT(reduce(in, 2, 3, ReduceOp::kSum, ReduceAxis::kAlongRow, {100, 200}), ElementsAre(106, 185));
}

// 0 + ... + (n - 1) = n (n - 1) / 2, here 2^24 + 2^12 terms short of what fp32 sums would keep.
TEST(Reduce, SumsLongRows) {
  std::vector<float> in(100'001);
  std::iota(in.begin(), in.end(), 0.0F);
  EXPECT_THAT(reduce(in, 1, 100'001, ReduceOp::kSum, ReduceAxis::kAlongRow), ElementsAre(5'000'050'000.0F));
  EXPECT_THAT(reduce(in, 100'001, 1, ReduceOp::kSum, ReduceAxis::kAlongColumn), ElementsAre(5'000'050'000.0F));
}

TEST(Reduce, OfNothingIsWhatItsNameSays) {
  EXPECT_THAT(reduce({}, 1, 0, ReduceOp::kSum, ReduceAxis::kAlongRow), ElementsAre(0));
  EXPECT_THAT(reduce({}, 0, 1, ReduceOp::kMax, ReduceAxis::kAlongColumn), ElementsAre(-kInfinity));
  EXPECT_TRUE(std::isnan(reduce({}, 1, 0, ReduceOp::kMean, ReduceAxis::kAlongRow)[0]));
  EXPECT_TRUE(reduce({}, 0, 5, ReduceOp::kSum, ReduceAxis::kAlongRow).empty());
}

TEST(Reduce, MaximumKeepsNan) {
  for (size_t place = 0; place < 3; ++place) {
    std::vector<float> in{1, 3, 2};
    in[place] = kNan;
    EXPECT_TRUE(std::isnan(reduce(in, 1, 3, ReduceOp::kMax, ReduceAxis::kAlongRow)[0])) << place;
    EXPECT_TRUE(std::isnan(reduce(in, 3, 1, ReduceOp::kMax, ReduceAxis::kAlongColumn)[0])) << place;
  }
}

TEST(Reduce, RoundsToTheTypeOfTheResult) {
  TypedArray in(Dtype::kF16, {1, 0x1p-10F, 0x1p-11F});
  TypedArray out = poisoned(Dtype::kBf16, 1);
  run_on_cpu(ReduceArgs{
      .in = in.data(), .out = out.data(), .rows = 1, .cols = 3, .in_dtype = Dtype::kF16, .out_dtype = Dtype::kBf16});
  EXPECT_THAT(out.values(), ElementsAre(1));
}

TEST(ReduceWork, SaysWhetherTheOrderIsFixed) {
  float data[1] = {};
  ReduceArgs args{.in = data, .out = data, .rows = 64, .cols = 512, .axis = ReduceAxis::kAlongColumn};
  EXPECT_TRUE(work_of(args).order_free);
  args.rows = 4096;  // 64 parts of 64 rows
  EXPECT_EQ(reduce_splits(args), 64);
  EXPECT_FALSE(work_of(args).order_free);
  args.out_dtype = Dtype::kBf16;  // has no atomic sum
  EXPECT_TRUE(work_of(args).order_free);
  const ReduceArgs row{.in = data, .out = data, .rows = 1, .cols = 1 << 20};
  EXPECT_EQ(reduce_splits(row), 16);  // of 2^16 elements each
  EXPECT_EQ(work_of(row).flops, 1 << 20);
  EXPECT_EQ(work_of(row).arrays[1].bytes, 4);
}

}  // namespace
}  // namespace aaco
