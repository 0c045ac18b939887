// SPDX-License-Identifier: MIT
#include <cmath>
#include <gtest/gtest.h>

#include "device/kernels/test_values.h"
#include "device/ops/conv_shape.h"
#include "device/ops/op_work.h"

namespace aaco {
namespace {

// By the definition, in double.
double expected(const ConvArgs& args, const std::vector<float>& in, const std::vector<float>& weight, int64_t n,
                int64_t o, int64_t oh, int64_t ow) {
  double sum = 0;
  for (int64_t c = 0; c < args.c; ++c) {
    for (int64_t r = 0; r < args.r; ++r) {
      for (int64_t s = 0; s < args.s; ++s) {
        const int64_t y = oh * args.stride - args.pad + r;
        const int64_t x = ow * args.stride - args.pad + s;
        if (y >= 0 && y < args.h && x >= 0 && x < args.w) {
          sum += double{in[((n * args.c + c) * args.h + y) * args.w + x]} *
                 weight[((o * args.c + c) * args.r + r) * args.s + s];
        }
      }
    }
  }
  return sum;
}

void check(ConvArgs args, bool with_bias) {
  const ConvShape shape = shape_of(args);
  TypedArray in = random_array(args.dtype, int64_t{args.n} * args.c * args.h * args.w, 1);
  TypedArray weight = random_array(args.dtype, args.o * shape.filter_size(), 2);
  TypedArray bias = random_array(args.dtype, args.o, 3);
  TypedArray out = poisoned(args.dtype, int64_t{args.n} * args.o * shape.out_pixels());
  args.in = in.data();
  args.weight = weight.data();
  args.bias = with_bias ? bias.data() : nullptr;
  args.out = out.data();
  run_on_cpu(args);
  const std::vector<float> in_values = in.values();
  const std::vector<float> weights = weight.values();
  const std::vector<float> got = out.values();
  for (size_t i = 0; i < got.size(); ++i) {
    const int64_t pixel = static_cast<int64_t>(i) % shape.out_pixels();
    const int64_t o = static_cast<int64_t>(i) / shape.out_pixels() % args.o;
    const int64_t n = static_cast<int64_t>(i) / shape.out_pixels() / args.o;
    double value = expected(args, in_values, weights, n, o, pixel / shape.out_w, pixel % shape.out_w) +
                   (with_bias ? double{bias.values()[o]} : 0);
    value = args.relu != 0 ? std::max(value, 0.0) : value;
    const double unit = args.dtype == Dtype::kF16 ? 0x1p-11 : args.dtype == Dtype::kBf16 ? 0x1p-8 : 0;
    ASSERT_NEAR(got[i], value, 1e-5 + 1.01 * unit * std::abs(value)) << "at " << i;
  }
}

TEST(Conv, IsTheDefinition) {
  for (const Dtype dtype : {Dtype::kF32, Dtype::kF16, Dtype::kBf16}) {
    SCOPED_TRACE(name_of(dtype));
    check({.n = 2, .c = 3, .h = 9, .w = 11, .o = 5, .r = 3, .s = 3, .pad = 1, .relu = 1, .dtype = dtype}, true);
    check({.n = 1, .c = 4, .h = 7, .w = 6, .o = 3, .r = 1, .s = 1, .dtype = dtype}, false);
    check({.n = 2, .c = 2, .h = 10, .w = 9, .o = 4, .r = 5, .s = 2, .pad = 2, .stride = 2, .dtype = dtype}, true);
    check({.n = 1, .c = 1, .h = 8, .w = 8, .o = 2, .r = 3, .s = 3, .stride = 3, .dtype = dtype}, false);
  }
}

// Two images of 64 channels of 100 x 100: more patches than one tile holds. All ones: the sum is how much of the filter
// lies inside.
TEST(Conv, TilesJoinWithoutASeam) {
  const ConvArgs shape{.n = 2, .c = 64, .h = 100, .w = 100, .o = 2, .r = 3, .s = 3, .pad = 1};
  std::vector<float> in(size_t{2} * 64 * 100 * 100, 1);
  std::vector<float> weight(size_t{2} * 64 * 9, 1);
  std::vector<float> out(size_t{2} * 2 * 100 * 100, -1);
  ConvArgs args = shape;
  args.in = in.data();
  args.weight = weight.data();
  args.out = out.data();
  run_on_cpu(args);
  for (size_t i = 0; i < out.size(); ++i) {
    const bool y_border = i / 100 % 100 == 0 || i / 100 % 100 == 99;
    const bool x_border = i % 100 == 0 || i % 100 == 99;
    ASSERT_EQ(out[i], 64 * (y_border ? 2 : 3) * (x_border ? 2 : 3)) << "at " << i;
  }
}

// oh = (9 + 2 - 3) / 2 + 1 = 5, ow = (11 + 2 - 3) / 2 + 1 = 6.
TEST(ConvWork, CountsProducts) {
  float memory[1] = {};
  const ConvArgs args{.in = memory,
                      .weight = memory,
                      .bias = memory,
                      .out = memory,
                      .n = 2,
                      .c = 3,
                      .h = 9,
                      .w = 11,
                      .o = 5,
                      .r = 3,
                      .s = 3,
                      .pad = 1,
                      .stride = 2};
  const OpWork work = work_of(args);
  EXPECT_EQ(work.flops, 2 * 5 * 5 * 6 * (2 * 3 * 9 + 1));
  ASSERT_EQ(work.arrays.size(), 4U);
  EXPECT_EQ(work.arrays[0].bytes, 4 * 2 * 3 * 9 * 11);
  EXPECT_EQ(work.arrays[1].bytes, 4 * 5 * 27);
  EXPECT_EQ(work.arrays[2].bytes, 4 * 5);
  EXPECT_EQ(work.arrays[3].bytes, 4 * 2 * 5 * 30);
}

TEST(ConvShape, AFilterLargerThanTheImageGivesNothing) {
  EXPECT_EQ(shape_of({.n = 1, .c = 1, .h = 2, .w = 5, .o = 1, .r = 3, .s = 3}).out_pixels(), 0);
}

}  // namespace
}  // namespace aaco
