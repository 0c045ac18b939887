// SPDX-License-Identifier: MIT
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/kernels/test_values.h"
#include "device/ops/op_work.h"

namespace aaco {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;

// silu(0) = 0, silu(ln 3) = ln 3 * 3/4, silu(-ln 3) = -ln 3 / 4. Gate and up lie side by side in rows of four.
TEST(Glu, GivesKnownValues) {
  const float ln3 = std::log(3.0F);
  const std::vector<float> in{0,    ln3, 5,  2,  //
                              -ln3, 100, -8, 0.5F};
  std::vector<float> out(4, 99);
  run_on_cpu(GluArgs{.gate = in.data(), .up = in.data() + 2, .out = out.data(), .rows = 2, .cols = 2, .pitch = 4});
  EXPECT_THAT(out, ElementsAre(0, FloatEq(1.5F * ln3), FloatEq(2 * ln3), 50));
}

double loss_of(const std::vector<double>& in, const std::vector<float>& out_grad) {
  double loss = 0;
  for (size_t i = 0; i < out_grad.size(); ++i) {
    const double gate = in[i / 3 * 7 + i % 3];
    loss += out_grad[i] * gate / (1 + std::exp(-gate)) * in[i / 3 * 7 + 3 + i % 3];
  }
  return loss;
}

// Four rows of three gates, three ups and one element that is not theirs.
TEST(GluGrad, IsTheSlope) {
  std::vector<float> values = random_values(28, 5, -3, 3);
  const std::vector<float> out_grad = random_values(12, 6);
  std::vector<float> grads(28, 99);
  run_on_cpu(GluGradArgs{.gate = values.data(),
                         .up = values.data() + 3,
                         .out_grad = out_grad.data(),
                         .gate_grad = grads.data(),
                         .up_grad = grads.data() + 3,
                         .rows = 4,
                         .cols = 3,
                         .pitch = 7});
  std::vector<double> at(values.begin(), values.end());
  for (size_t i = 0; i < at.size(); ++i) {
    if (i % 7 == 6) {
      EXPECT_EQ(grads[i], 99) << i;
      continue;
    }
    const double middle = at[i];
    at[i] = middle + 1e-5;
    const double above = loss_of(at, out_grad);
    at[i] = middle - 1e-5;
    const double below = loss_of(at, out_grad);
    at[i] = middle;
    EXPECT_NEAR(grads[i], (above - below) / 2e-5, 1e-6) << i;
  }
}

TEST(GluGrad, MayTakeThePlaceOfItsInputs) {
  const std::vector<float> in = random_values(28, 7);
  const std::vector<float> out_grad = random_values(12, 8);
  std::vector<float> apart(28, 99);
  std::vector<float> in_place = in;
  GluGradArgs args{.gate = in.data(),
                   .up = in.data() + 3,
                   .out_grad = out_grad.data(),
                   .gate_grad = apart.data(),
                   .up_grad = apart.data() + 3,
                   .rows = 4,
                   .cols = 3,
                   .pitch = 7};
  run_on_cpu(args);
  args.gate = args.gate_grad = in_place.data();
  args.up = args.up_grad = in_place.data() + 3;
  run_on_cpu(args);
  for (size_t i = 0; i < in.size(); ++i) {
    EXPECT_EQ(in_place[i], i % 7 == 6 ? in[i] : apart[i]) << i;
  }
}

TEST(GluWork, KnowsItsRows) {
  std::vector<float> memory(1000);
  float* const data = memory.data();
  const OpWork work =
      work_of(GluArgs{.gate = data, .up = data + 64, .out = data + 999, .rows = 3, .cols = 64, .pitch = 128});
  EXPECT_EQ(work.flops, 4 * 3 * 64);
  ASSERT_EQ(work.arrays.size(), 3U);
  EXPECT_EQ(work.arrays[0].bytes, (2 * 128 + 64) * 4);
  EXPECT_EQ(work.arrays[0].bytes_used, 3 * 64 * 4);
  EXPECT_EQ(work.arrays[1].pitch_bytes, 512);
  EXPECT_EQ(work.arrays[1].row_bytes, 256);
  EXPECT_EQ(work.arrays[2].pitch_bytes, 0);
  const OpWork grad = work_of(GluGradArgs{.gate = data,
                                          .up = data,
                                          .out_grad = data,
                                          .gate_grad = data,
                                          .up_grad = data,
                                          .rows = 3,
                                          .cols = 64,
                                          .pitch = 128});
  EXPECT_EQ(grad.flops, 11 * 3 * 64);
  ASSERT_EQ(grad.arrays.size(), 5U);
  EXPECT_EQ(grad.arrays[4].access, Access::kWrite);
}

}  // namespace
}  // namespace aaco
