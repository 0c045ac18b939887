// SPDX-License-Identifier: MIT
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>

#include "device/kernels/test_values.h"
#include "device/ops/op_work.h"

namespace aaco {
namespace {

using ::testing::ElementsAre;

TEST(Sgd, GoesDownTheGradientAndKeepsACopy) {
  std::vector<float> param{1, -2, 0.3F};
  const std::vector<float> grad{4, -8, 0};
  TypedArray low = poisoned(Dtype::kBf16, 3);
  run_on_cpu(SgdArgs{.param = param.data(), .grad = grad.data(), .low = low.data(), .n = 3, .rate = 0.25F});
  EXPECT_THAT(param, ElementsAre(0, 0, 0.3F));
  EXPECT_THAT(low.values(), ElementsAre(0, 0, rounded_to(Dtype::kBf16, 0.3F)));
}

// After one step from states of zero, the corrected moments are g and g^2: the step is rate * g / (|g| + eps).
TEST(Adam, FirstStepIsTheRateTowardsTheSign) {
  std::vector<float> param{1, 1, 1};
  const std::vector<float> grad{5, -0.01F, 0};
  std::vector<float> first(3);
  std::vector<float> second(3);
  run_on_cpu(AdamArgs{.param = param.data(),
                      .grad = grad.data(),
                      .first = first.data(),
                      .second = second.data(),
                      .n = 3,
                      .rate = 0.1F,
                      .weight_decay = 0.5F});
  // 1 - 0.1 * 0.5 = 0.95, then the step.
  EXPECT_FLOAT_EQ(param[0], 0.85F);
  EXPECT_NEAR(param[1], 1.05, 2e-7);  // eps is 1e-6 of |g|, and 0.1 * 1e-6 of the step
  EXPECT_FLOAT_EQ(param[2], 0.95F);
  EXPECT_FLOAT_EQ(first[0], 0.5F);
  EXPECT_FLOAT_EQ(second[0], 25 * (1 - 0.999F));  // 0.999 is none of fp32
}

// With a constant gradient the corrected moments stay g and g^2, so that every step is the same.
TEST(Adam, CorrectsItsMomentsAtEveryStep) {
  std::vector<float> param{0};
  const std::vector<float> grad{3};
  std::vector<float> first(1);
  std::vector<float> second(1);
  for (int32_t step = 1; step <= 20; ++step) {
    run_on_cpu(AdamArgs{.param = param.data(),
                        .grad = grad.data(),
                        .first = first.data(),
                        .second = second.data(),
                        .n = 1,
                        .rate = 0.01F,
                        .step = step});
    EXPECT_NEAR(param[0], -0.01 * step, 2e-6) << step;
  }
  EXPECT_NEAR(first[0], 3 * (1 - std::pow(0.9, 20)), 1e-6);
}

// The first and the last of four elements have theirs in fp32, one behind the other; those between in bf16.
TEST(Adam, TakesGradientsOfTheMiddleFromTheirOwnArray) {
  const std::vector<float> gradients{3, -0.5F, 2, -4};
  const auto run = [&](const std::vector<float>& grad, TypedArray* low) {
    std::vector<float> state{1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0};
    AdamArgs args{
        .param = state.data(), .grad = grad.data(), .first = state.data() + 4, .second = state.data() + 8, .n = 4};
    if (low != nullptr) {
      args.low_grad = low->data();
      args.low_from = 1;
      args.low_end = 3;
    }
    run_on_cpu(args);
    return state;
  };
  TypedArray middle(Dtype::kBf16, {-0.5F, 2});
  EXPECT_EQ(run({3, -4}, &middle), run(gradients, nullptr));
  EXPECT_EQ(work_of(AdamArgs{.n = 4, .low_from = 1, .low_end = 3}).flops, 60);
}

// What the clock says, and not the arguments' own: a step by the clock is one whose arguments are the clock's.
TEST(Adam, GoesByTheClockWhereThereIsOne) {
  const std::vector<float> grad{3, -0.5F};
  const auto run = [&](AdamArgs args) {
    std::vector<float> state{1, 2, 0.5F, 0.25F, 4, 9};
    args.param = state.data();
    args.first = state.data() + 2;
    args.second = state.data() + 4;
    args.grad = grad.data();
    args.n = 2;
    args.beta1 = 0.5F;
    args.beta2 = 0.75F;
    run_on_cpu(args);
    return state;
  };
  // 1 - 0.5^2 = 3/4 and 1 - 0.75^2 = 7/16 of the second step; 1 - 0.25 * 0.5.
  const TrainingClock clock{
      .step = 2, .rate = 0.25F, .decay = 0.875F, .inverse_correction1 = 4.0F / 3, .inverse_correction2 = 16.0F / 7};
  const std::vector<float> by_clock = run({.rate = 77, .weight_decay = 88, .step = 99, .clock = &clock});
  const std::vector<float> by_arguments = run({.rate = 0.25F, .weight_decay = 0.5F, .step = 2});
  for (size_t i = 0; i < by_clock.size(); ++i) {
    EXPECT_FLOAT_EQ(by_clock[i], by_arguments[i]) << i;
  }
}

TEST(Adam, TakesTheGradientTimesItsScale) {
  const auto updated = [](float grad, const float* scale) {
    float param = 1;
    float first = 0.25F;
    float second = 0.5F;
    AdamArgs args{.param = &param, .grad = &grad, .first = &first, .second = &second, .n = 1, .step = 2};
    args.grad_scale = scale;
    run_on_cpu(args);
    return std::vector<float>{param, first, second};
  };
  const float half = 0.5F;
  EXPECT_EQ(updated(3, &half), updated(1.5F, nullptr));
}

// The sum of the squares of 1 to 10 is 385; in parts of four: 30, 174, 181.
TEST(SquareSum, AddsUpEachPart) {
  std::vector<float> in(10);
  std::iota(in.begin(), in.end(), 1.0F);
  std::vector<float> out(3);
  run_on_cpu(SquareSumArgs{in.data(), out.data(), 10, 3});
  EXPECT_EQ(out, (std::vector<float>{30, 174, 181}));
}

TEST(ClipScale, ShrinksWhatIsAboveTheNorm) {
  const std::vector<float> sums{30, 174, 181, 15};  // of a norm of 20
  float scale = 0;
  run_on_cpu(ClipScaleArgs{sums.data(), &scale, 4, 5});
  EXPECT_NEAR(scale, 0.25, 1e-7);
  run_on_cpu(ClipScaleArgs{sums.data(), &scale, 4, 21});
  EXPECT_EQ(scale, 1);
  const std::vector<float> wrong{1, std::numeric_limits<float>::quiet_NaN()};
  run_on_cpu(ClipScaleArgs{wrong.data(), &scale, 2, 1});
  EXPECT_TRUE(std::isnan(scale));
}

TEST(OptimizerWork, ReadsTheClock) {
  float data[1] = {};
  const TrainingClock clock;
  const OpWork work =
      work_of(AdamArgs{.param = data, .grad = data, .first = data, .second = data, .n = 10, .clock = &clock});
  ASSERT_EQ(work.arrays.size(), 5U);
  EXPECT_EQ(work.arrays[4].pointer, &clock);
  EXPECT_EQ(work.arrays[4].bytes, 24);
  EXPECT_EQ(work.arrays[4].access, Access::kRead);
}

TEST(OptimizerWork, ReadsAndWritesTheStates) {
  float data[1] = {};
  const OpWork work = work_of(AdamArgs{.param = data, .grad = data, .first = data, .second = data, .n = 10});
  ASSERT_EQ(work.arrays.size(), 4U);  // no copy
  EXPECT_EQ(work.arrays[0].access, Access::kReadWrite);
  EXPECT_EQ(work.arrays[1].access, Access::kRead);
  EXPECT_EQ(work_of(SgdArgs{.param = data, .grad = data, .low = data, .n = 10}).arrays[2].bytes, 20);
}

}  // namespace
}  // namespace aaco
