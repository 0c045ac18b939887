// SPDX-License-Identifier: MIT
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/kernels/test_values.h"
#include "device/ops/op_work.h"

namespace aaco {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::IsNan;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<float> softmax(const std::vector<float>& in, int64_t rows, float scale = 1) {
  std::vector<float> out(in.size(), -1);
  const int64_t cols = static_cast<int64_t>(in.size()) / rows;
  run_on_cpu(SoftmaxArgs{.in = in.data(), .out = out.data(), .rows = rows, .cols = cols, .scale = scale});
  return out;
}

// exp(log k) = k: of logarithms, the shares of the numbers.
TEST(Softmax, GivesShares) {
  const std::vector<float> logs{std::log(1.0F), std::log(2.0F), std::log(3.0F), std::log(4.0F)};
  EXPECT_THAT(softmax(logs, 1), ElementsAre(FloatEq(0.1F), FloatEq(0.2F), FloatEq(0.3F), FloatEq(0.4F)));
  // Squares: 1, 4, 9, 16 of 30.
  EXPECT_THAT(softmax(logs, 1, 2),
              ElementsAre(FloatEq(1 / 30.0F), FloatEq(4 / 30.0F), FloatEq(9 / 30.0F), FloatEq(16 / 30.0F)));
  EXPECT_THAT(softmax({5, 5, -3, -3}, 2), ElementsAre(0.5F, 0.5F, 0.5F, 0.5F));
  EXPECT_THAT(softmax({7}, 1), ElementsAre(1));
}

TEST(Softmax, ShiftsItsExponents) {
  EXPECT_THAT(softmax({1e30F, 1e30F, 0}, 1), ElementsAre(0.5F, 0.5F, 0));
  EXPECT_THAT(softmax({-1000, -1000}, 1), ElementsAre(0.5F, 0.5F));
  EXPECT_THAT(softmax({-kInfinity, 3, -kInfinity}, 1), ElementsAre(0, 1, 0));
}

TEST(Softmax, OfWhatHasNoAnswerIsNan) {
  EXPECT_THAT(softmax({1, std::numeric_limits<float>::quiet_NaN()}, 1), Each(IsNan()));
  EXPECT_THAT(softmax({1, kInfinity}, 1), Each(IsNan()));
  EXPECT_THAT(softmax({-kInfinity, -kInfinity}, 1), Each(IsNan()));
}

std::vector<double> softmax_of(const std::vector<double>& in, double scale) {
  std::vector<double> out(in.size());
  double sum = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    out[i] = std::exp(scale * in[i]);
    sum += out[i];
  }
  for (double& value : out) {
    value /= sum;
  }
  return out;
}

TEST(SoftmaxGrad, IsTheSlope) {
  constexpr double kScale = 0.7;
  for (const int64_t cols : {1, 2, 9, 33}) {
    const std::vector<float> in = random_values(cols, 1, -3, 3);
    const std::vector<float> grad = random_values(cols, 2);
    std::vector<double> point(in.begin(), in.end());
    const std::vector<double> exact = softmax_of(point, kScale);
    const std::vector<float> out(exact.begin(), exact.end());
    std::vector<float> in_grad(in.size(), -9);
    run_on_cpu(SoftmaxGradArgs{.out = out.data(),
                               .out_grad = grad.data(),
                               .in_grad = in_grad.data(),
                               .rows = 1,
                               .cols = cols,
                               .scale = static_cast<float>(kScale)});
    const auto loss = [&](size_t i, double step) {
      std::vector<double> moved = point;
      moved[i] += step;
      const std::vector<double> y = softmax_of(moved, kScale);
      double sum = 0;
      for (size_t j = 0; j < y.size(); ++j) {
        sum += grad[j] * y[j];
      }
      return sum;
    };
    for (size_t i = 0; i < in.size(); ++i) {
      EXPECT_NEAR(in_grad[i], (loss(i, 1e-5) - loss(i, -1e-5)) / 2e-5, 3e-7) << cols << ", " << i;
    }
  }
}

}  // namespace
}  // namespace aaco
