// SPDX-License-Identifier: MIT
#include <cmath>
#include <gtest/gtest.h>

#include "device/kernels/test_values.h"
#include "device/ops/op_work.h"

namespace aaco {
namespace {

TEST(Pool, TakesTheLargestOrTheMeanAndCutsRemainders) {
  // Two planes of 3 x 5; windows of 2 x 2: row 2 and column 4 are cut off.
  TypedArray in(Dtype::kF32, {1, 2, 3, 4, 99, 5,  6,  7,  8,  99, 99, 99, 99, 99, 99,  //
                              8, 7, 6, 5, 99, -4, -3, -2, -1, 99, 99, 99, 99, 99, 99});
  TypedArray out = poisoned(Dtype::kF32, 4);
  PoolArgs args{.in = in.data(), .out = out.data(), .planes = 2, .h = 3, .w = 5};
  run_on_cpu(args);
  EXPECT_EQ(out.values(), (std::vector<float>{6, 8, 8, 6}));
  args.kind = PoolKind::kMean;
  run_on_cpu(args);
  EXPECT_EQ(out.values(), (std::vector<float>{3.5F, 5.5F, 2, 2}));
  const OpWork work = work_of(args);
  EXPECT_EQ(work.flops, 16);
  EXPECT_EQ(work.arrays[0].bytes, 4 * 30);
  EXPECT_EQ(work.arrays[0].bytes_used, 4 * 16);
  EXPECT_EQ(work.arrays[1].bytes, 4 * 4);
}

TEST(Pool, KeepsNan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (size_t place = 0; place < 4; ++place) {
    std::vector<float> values{1, 2, 3, 4};
    values[place] = nan;
    TypedArray in(Dtype::kBf16, values);
    TypedArray out(Dtype::kBf16, {0});
    run_on_cpu(PoolArgs{.in = in.data(), .out = out.data(), .planes = 1, .h = 2, .w = 2, .dtype = Dtype::kBf16});
    EXPECT_TRUE(std::isnan(out.values()[0])) << place;
  }
}

TEST(Image, ScalesMirrorsAndNormalises) {
  // Two images of two channels of 1 x 3; the second is mirrored.
  const std::vector<uint8_t> in{0, 51, 255, 255, 102, 0, 0, 51, 255, 255, 102, 0};
  const std::vector<uint8_t> flip{0, 1};
  TypedArray out = poisoned(Dtype::kF32, 12);
  ImageArgs args{.in = in.data(), .flip = flip.data(), .out = out.data(), .n = 2, .c = 2, .h = 1, .w = 3};
  args.mean[1] = 0.2F;
  args.deviation[1] = 0.5F;
  run_on_cpu(args);
  // Channel 0: 0, 0.2, 1. Channel 1: (1 - 0.2) / 0.5, (0.4 - 0.2) / 0.5, (0 - 0.2) / 0.5.
  const std::vector<float> expected{0, 0.2F, 1, 1.6F, 0.4F, -0.4F, 1, 0.2F, 0, -0.4F, 0.4F, 1.6F};
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(out.values()[i], expected[i], 1e-6) << i;
  }
  EXPECT_EQ(work_of(args).flops, 3 * 12);
  EXPECT_EQ(work_of(args).arrays[0].bytes, 12);

  args.flip = nullptr;
  run_on_cpu(args);
  EXPECT_NEAR(out.values()[8], 1, 1e-6);
  EXPECT_EQ(work_of(args).arrays.size(), 2U);
}

}  // namespace
}  // namespace aaco
