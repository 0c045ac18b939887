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

// Of equal logits every class has probability 1 / cols.
TEST(CrossEntropy, OfEqualLogitsIsTheLogarithmOfTheirNumber) {
  const std::vector<float> logits(8, 300);
  const std::vector<int32_t> targets{3, 0};
  std::vector<float> loss(2);
  std::vector<float> grad(8);
  run_on_cpu(CrossEntropyArgs{.logits = logits.data(),
                              .targets = targets.data(),
                              .loss = loss.data(),
                              .grad = grad.data(),
                              .rows = 2,
                              .cols = 4,
                              .scale = 0.5F});
  EXPECT_THAT(loss, Each(FloatEq(std::log(4.0F))));
  EXPECT_THAT(grad, ElementsAre(0.125F, 0.125F, 0.125F, -0.375F, -0.375F, 0.125F, 0.125F, 0.125F));
}

TEST(CrossEntropy, OfAnUnlikelyTargetStaysFinite) {
  const std::vector<float> logits{0, 500};
  const int32_t target = 0;
  float loss = 0;
  run_on_cpu(CrossEntropyArgs{.logits = logits.data(), .targets = &target, .loss = &loss, .rows = 1, .cols = 2});
  EXPECT_EQ(loss, 500);
}

TEST(CrossEntropy, OfATargetOutOfRangeIsNan) {
  for (const int32_t target : {-1, 2}) {
    const std::vector<float> logits{1, 2};
    std::vector<float> grad(2);
    float loss = 0;
    run_on_cpu(CrossEntropyArgs{
        .logits = logits.data(), .targets = &target, .loss = &loss, .grad = grad.data(), .rows = 1, .cols = 2});
    EXPECT_TRUE(std::isnan(loss));
    EXPECT_THAT(grad, Each(IsNan()));
  }
}

TEST(CrossEntropy, GradientIsTheSlopeAlsoInPlace) {
  constexpr int64_t kCols = 11;
  constexpr int32_t kTarget = 4;
  const std::vector<float> logits = random_values(kCols, 5, -3, 3);
  std::vector<float> grad = logits;
  float loss = 0;
  run_on_cpu(CrossEntropyArgs{
      .logits = grad.data(), .targets = &kTarget, .loss = &loss, .grad = grad.data(), .rows = 1, .cols = kCols});
  const auto loss_at = [&](size_t i, double step) {
    double sum = 0;
    for (size_t j = 0; j < logits.size(); ++j) {
      sum += std::exp(logits[j] + (j == i ? step : 0));
    }
    return std::log(sum) - logits[kTarget] - (i == kTarget ? step : 0);
  };
  EXPECT_NEAR(loss, loss_at(0, 0), 1e-6);
  for (size_t i = 0; i < logits.size(); ++i) {
    EXPECT_NEAR(grad[i], (loss_at(i, 1e-5) - loss_at(i, -1e-5)) / 2e-5, 1e-6) << i;
  }
}

}  // namespace
}  // namespace aaco
