// SPDX-License-Identifier: MIT
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numbers>

#include "device/kernels/test_values.h"
#include "device/ops/op_work.h"

namespace aaco {
namespace {

using ::testing::ElementsAre;

const float kNan = std::numeric_limits<float>::quiet_NaN();
const float kInfinity = std::numeric_limits<float>::infinity();

std::vector<float> unary(UnaryOp op, const std::vector<float>& in, float a = 1, float b = 0) {
  std::vector<float> out(in.size(), kNan);
  run_on_cpu(
      UnaryArgs{.in = in.data(), .out = out.data(), .n = static_cast<int64_t>(in.size()), .op = op, .a = a, .b = b});
  return out;
}

TEST(Unary, GivesKnownValues) {
  EXPECT_THAT(unary(UnaryOp::kCast, {1.5F, -2}), ElementsAre(1.5F, -2));
  EXPECT_THAT(unary(UnaryOp::kScaleShift, {1.5F, -2}, 2, 1), ElementsAre(4, -3));
  EXPECT_THAT(unary(UnaryOp::kAbs, {1.5F, -2, -kInfinity}), ElementsAre(1.5F, 2, kInfinity));
  EXPECT_THAT(unary(UnaryOp::kClamp, {-5, 0.5F, 5}, -1, 2), ElementsAre(-1, 0.5F, 2));
  EXPECT_THAT(unary(UnaryOp::kRelu, {-5, 0, 5}), ElementsAre(0, 0, 5));
  EXPECT_THAT(unary(UnaryOp::kSquare, {-3, 0.5F}), ElementsAre(9, 0.25F));
  // Phi(1) = 0.8413447460685429; sigma(1) = 0.7310585786300049.
  EXPECT_THAT(unary(UnaryOp::kGelu, {0, 1, -1, 10}), ElementsAre(0, 0.84134475F, -0.15865525F, 10));
  EXPECT_THAT(unary(UnaryOp::kSilu, {0, 1, -1, -200}), ElementsAre(0, 0.73105858F, -0.26894142F, 0));
  EXPECT_THAT(unary(UnaryOp::kExp, {0, 1, -kInfinity, 100}), ElementsAre(1, 2.7182818F, 0, kInfinity));
}

// -5.7e-6 at -5: 1 + erf would keep two digits of it in fp32.
TEST(Unary, GeluKeepsItsDigitsFarBelowZero) {
  EXPECT_FLOAT_EQ(unary(UnaryOp::kGelu, {-5})[0], static_cast<float>(-5 * 2.866515718791939e-07));
}

TEST(Unary, KeepsNan) {
  for (int op = 0; op <= static_cast<int>(UnaryOp::kSquare); ++op) {
    EXPECT_TRUE(std::isnan(unary(static_cast<UnaryOp>(op), {kNan}, -1, 1)[0])) << op;
  }
}

TEST(Unary, CastsBetweenTypesInPlaceAndOfAnyLength) {
  for (const int64_t n : {int64_t{0}, int64_t{1}, int64_t{1023}, int64_t{2500}}) {
    const TypedArray exact = random_array(Dtype::kBf16, n, 3);
    TypedArray in(Dtype::kF32, exact.values());
    TypedArray out = poisoned(Dtype::kBf16, n);
    UnaryArgs args{.in = in.data(), .out = out.data(), .n = n, .out_dtype = Dtype::kBf16};
    run_on_cpu(args);
    EXPECT_EQ(out.values(), exact.values());
    args = {.in = out.data(),
            .out = out.data(),
            .n = n,
            .op = UnaryOp::kScaleShift,
            .a = 2,
            .in_dtype = Dtype::kBf16,
            .out_dtype = Dtype::kBf16};
    run_on_cpu(args);
    for (int64_t i = 0; i < n; ++i) {
      ASSERT_EQ(out.values()[i], 2 * exact.values()[i]) << i;
    }
  }
}

double forward(UnaryOp op, double x) {
  switch (op) {
    case UnaryOp::kGelu:
      return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2));
    case UnaryOp::kSilu:
      return x / (1 + std::exp(-x));
    default:
      return std::max(x, 0.0);
  }
}

TEST(UnaryGrad, IsTheSlope) {
  const std::vector<float> in{-6, -2.5F, -1, -0.75F, -0.01F, 0.01F, 0.5F, 1, 3, 7};
  const std::vector<float> out_grad{1, -2, 0.5F, 1, 1, 3, 1, -1, 1, 1};
  for (const UnaryOp op : {UnaryOp::kRelu, UnaryOp::kGelu, UnaryOp::kSilu}) {
    std::vector<float> in_grad(in.size(), kNan);
    run_on_cpu(UnaryGradArgs{.in = in.data(),
                             .out_grad = out_grad.data(),
                             .in_grad = in_grad.data(),
                             .n = static_cast<int64_t>(in.size()),
                             .op = op});
    for (size_t i = 0; i < in.size(); ++i) {
      constexpr double kStep = 1e-5;  // the error of a central difference is of its square
      const double slope = (forward(op, in[i] + kStep) - forward(op, in[i] - kStep)) / (2 * kStep);
      EXPECT_NEAR(in_grad[i], out_grad[i] * slope, 1e-6) << static_cast<int>(op) << " at " << in[i];
    }
  }
}

TEST(UnaryGrad, OfReluIsZeroAtZeroAndKeepsNan) {
  const std::vector<float> in{0, -0.0F, kNan};
  std::vector<float> grad{5, 5, 5};
  run_on_cpu(UnaryGradArgs{.in = in.data(), .out_grad = grad.data(), .in_grad = grad.data(), .n = 3});
  EXPECT_EQ(grad[0], 0);
  EXPECT_EQ(grad[1], 0);
  EXPECT_TRUE(std::isnan(grad[2]));
}

std::vector<float> binary(BinaryOp op, const std::vector<float>& a, const std::vector<float>& b, int64_t period,
                          int64_t repeat, float scale = 1) {
  std::vector<float> out(a.size(), kNan);
  run_on_cpu(BinaryArgs{.a = a.data(),
                        .b = b.data(),
                        .out = out.data(),
                        .n = static_cast<int64_t>(a.size()),
                        .b_period = period,
                        .b_repeat = repeat,
                        .op = op,
                        .scale = scale});
  return out;
}

TEST(Binary, GivesKnownValues) {
  EXPECT_THAT(binary(BinaryOp::kAdd, {1, 2}, {10, 20}, 2, 1, 0.5F), ElementsAre(6, 12));
  EXPECT_THAT(binary(BinaryOp::kSub, {1, 2}, {10, 20}, 2, 1), ElementsAre(-9, -18));
  EXPECT_THAT(binary(BinaryOp::kMul, {1, 2}, {10, 20}, 2, 1, -1), ElementsAre(-10, -40));
  EXPECT_THAT(binary(BinaryOp::kMax, {1, 30}, {10, 20}, 2, 1), ElementsAre(10, 30));
  EXPECT_THAT(binary(BinaryOp::kSiluMul, {0, 1}, {5, 2}, 2, 1), ElementsAre(0, 2 * 0.73105858F));
  EXPECT_TRUE(std::isnan(binary(BinaryOp::kMax, {kNan}, {1}, 1, 1)[0]));
  EXPECT_TRUE(std::isnan(binary(BinaryOp::kMax, {1}, {kNan}, 1, 1)[0]));
}

TEST(Binary, RepeatsRowsAndColumns) {
  const std::vector<float> a(6, 0);  // [2, 3]
  EXPECT_THAT(binary(BinaryOp::kAdd, a, {1, 2, 3}, 3, 1), ElementsAre(1, 2, 3, 1, 2, 3));
  EXPECT_THAT(binary(BinaryOp::kAdd, a, {1, 2}, 2, 3), ElementsAre(1, 1, 1, 2, 2, 2));
  EXPECT_THAT(binary(BinaryOp::kAdd, a, {7}, 1, 1), ElementsAre(7, 7, 7, 7, 7, 7));
  // [2, 2, 2], b of the middle one.
  EXPECT_THAT(binary(BinaryOp::kAdd, std::vector<float>(8, 0), {1, 2}, 2, 2), ElementsAre(1, 1, 2, 2, 1, 1, 2, 2));
}

TEST(Binary, KeepsToIntegers) {
  const std::vector<int32_t> a{1 << 30, -7, 3};
  const std::vector<int32_t> b{1 << 30, 2, 3};
  std::vector<int32_t> out(3);
  BinaryArgs args{
      .a = a.data(), .b = b.data(), .out = out.data(), .n = 3, .b_period = 3, .scale = 9, .dtype = Dtype::kI32};
  run_on_cpu(args);
  EXPECT_THAT(out, ElementsAre(std::numeric_limits<int32_t>::min(), -5, 6));  // wraps around
  args.op = BinaryOp::kMul;
  run_on_cpu(args);
  EXPECT_THAT(out, ElementsAre(0, -14, 9));
}

TEST(ElementwiseWork, CountsWhatIsTouched) {
  float data[1] = {};
  const OpWork column =
      work_of(BinaryArgs{.a = data, .b = data, .out = data, .n = 1000, .b_period = 64, .b_repeat = 100, .scale = 2});
  EXPECT_EQ(column.flops, 2000);
  ASSERT_EQ(column.arrays.size(), 3U);
  EXPECT_EQ(column.arrays[1].bytes, 4 * 10);  // of the column, 1000 elements reach ten
  EXPECT_EQ(column.arrays[1].pointer_offset, offsetof(BinaryArgs, b));
  EXPECT_EQ(column.arrays[2].access, Access::kWrite);
  const OpWork cast = work_of(UnaryArgs{.in = data, .out = data, .n = 8, .out_dtype = Dtype::kF16});
  EXPECT_EQ(cast.flops, 0);
  EXPECT_EQ(cast.arrays[0].bytes, 32);
  EXPECT_EQ(cast.arrays[1].bytes, 16);
}

}  // namespace
}  // namespace aaco
