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

// Mean 2.5, variance 1.25 over n.
TEST(Norm, OfALayerGivesKnownValues) {
  const std::vector<float> in{1, 2, 3, 4};
  const std::vector<float> weight{1, 1, 2, 1};
  const std::vector<float> bias{0, 0, 0, 10};
  std::vector<float> out(4);
  float mean = 0;
  float rstd = 0;
  run_on_cpu(NormArgs{.in = in.data(),
                      .weight = weight.data(),
                      .bias = bias.data(),
                      .out = out.data(),
                      .mean = &mean,
                      .rstd = &rstd,
                      .rows = 1,
                      .cols = 4,
                      .eps = 0});
  const float unit = 1 / std::sqrt(1.25F);
  EXPECT_EQ(mean, 2.5F);
  EXPECT_FLOAT_EQ(rstd, unit);
  EXPECT_THAT(out, ElementsAre(FloatEq(-1.5F * unit), FloatEq(-0.5F * unit), FloatEq(unit), FloatEq(10 + 1.5F * unit)));
}

// Mean of squares 12.5, eps 3.5: the root is 4. No mean is taken off, and no bias added.
TEST(Norm, OfRootMeanSquareGivesKnownValues) {
  const std::vector<float> in{3, 4};
  const std::vector<float> bias{9, 9};
  std::vector<float> out(2);
  float mean = 77;
  float rstd = 0;
  run_on_cpu(NormArgs{.in = in.data(),
                      .bias = bias.data(),
                      .out = out.data(),
                      .mean = &mean,
                      .rstd = &rstd,
                      .rows = 1,
                      .cols = 2,
                      .eps = 3.5F,
                      .kind = NormKind::kRms});
  EXPECT_THAT(out, ElementsAre(0.75F, 1));
  EXPECT_EQ(rstd, 0.25F);
  EXPECT_EQ(mean, 77);
}

TEST(Norm, OfAConstantRowIsItsBias) {
  const std::vector<float> in(1000, 12345);
  std::vector<float> out(1000, -1);
  run_on_cpu(NormArgs{.in = in.data(), .out = out.data(), .rows = 2, .cols = 500});
  EXPECT_EQ(out, std::vector<float>(1000, 0));
}

// Two rows, in fp64, for central differences.
struct Problem {
  NormKind kind;
  int64_t rows = 2;
  int64_t cols = 7;
  std::vector<double> in;
  std::vector<double> weight;
  std::vector<double> bias;
  std::vector<float> out_grad;

  double rstd(int64_t row, double mean) const {
    double sum = 0;
    for (int64_t c = 0; c < cols; ++c) {
      sum += (in[row * cols + c] - mean) * (in[row * cols + c] - mean);
    }
    return 1 / std::sqrt(sum / static_cast<double>(cols) + 1e-5);
  }
  double mean(int64_t row) const {
    double sum = 0;
    for (int64_t c = 0; c < cols && kind == NormKind::kLayer; ++c) {
      sum += in[row * cols + c];
    }
    return sum / static_cast<double>(cols);
  }
  double loss() const {
    double sum = 0;
    for (int64_t i = 0; i < rows * cols; ++i) {
      const double centre = mean(i / cols);
      sum += out_grad[i] * ((in[i] - centre) * rstd(i / cols, centre) * weight[i % cols] + bias[i % cols]);
    }
    return sum;
  }
};

double slope(Problem& problem, double& parameter) {
  const double at = parameter;
  parameter = at + 1e-5;
  const double above = problem.loss();
  parameter = at - 1e-5;
  const double below = problem.loss();
  parameter = at;
  return (above - below) / 2e-5;
}

TEST(NormGrad, IsTheSlopeAndIsAddedForParameters) {
  for (const NormKind kind : {NormKind::kLayer, NormKind::kRms}) {
    const std::vector<float> in = random_values(14, 1, -2, 2);
    const std::vector<float> weight = random_values(7, 2);
    Problem problem{.kind = kind,
                    .in = {in.begin(), in.end()},
                    .weight = {weight.begin(), weight.end()},
                    .bias = std::vector<double>(7),
                    .out_grad = random_values(14, 4)};
    std::vector<float> mean(2);
    std::vector<float> rstd(2);
    for (int64_t r = 0; r < 2; ++r) {
      mean[r] = static_cast<float>(problem.mean(r));
      rstd[r] = static_cast<float>(problem.rstd(r, problem.mean(r)));
    }
    std::vector<float> in_grad(14, -9);
    std::vector<float> weight_grad(7, 100);
    std::vector<float> bias_grad(7, 200);
    run_on_cpu(NormGradArgs{.in = in.data(),
                            .weight = weight.data(),
                            .mean = mean.data(),
                            .rstd = rstd.data(),
                            .out_grad = problem.out_grad.data(),
                            .in_grad = in_grad.data(),
                            .weight_grad = weight_grad.data(),
                            .bias_grad = bias_grad.data(),
                            .rows = 2,
                            .cols = 7,
                            .kind = kind});
    for (int64_t i = 0; i < 14; ++i) {
      EXPECT_NEAR(in_grad[i], slope(problem, problem.in[i]), 2e-6) << i;
    }
    for (int64_t c = 0; c < 7; ++c) {
      EXPECT_NEAR(weight_grad[c], 100 + slope(problem, problem.weight[c]), 1e-5) << c;
      EXPECT_NEAR(bias_grad[c], 200 + slope(problem, problem.bias[c]), 2e-5) << c;
    }
  }
}

// 1 + 2 and 6 - 2: as above, mean of squares 12.5, eps 3.5. The sum may take the place of what it is of.
TEST(Norm, IsOfTheSumWithWhatIsAdded) {
  std::vector<float> in{1, 6};
  const std::vector<float> add{2, -2};
  std::vector<float> out(2);
  run_on_cpu(NormArgs{.in = in.data(),
                      .out = out.data(),
                      .rows = 1,
                      .cols = 2,
                      .eps = 3.5F,
                      .kind = NormKind::kRms,
                      .add = add.data(),
                      .sum = in.data()});
  EXPECT_THAT(in, ElementsAre(3, 4));
  EXPECT_THAT(out, ElementsAre(0.75F, 1));
}

// 256 + 1 is 256 in bf16: what is normalised is what is kept.
TEST(Norm, RoundsTheSumFirst) {
  TypedArray in(Dtype::kBf16, {256, 0});
  TypedArray add(Dtype::kBf16, {1, 256});
  TypedArray sum = poisoned(Dtype::kBf16, 2);
  TypedArray out = poisoned(Dtype::kBf16, 2);
  float rstd = 0;
  run_on_cpu(NormArgs{.in = in.data(),
                      .out = out.data(),
                      .rstd = &rstd,
                      .rows = 1,
                      .cols = 2,
                      .eps = 0,
                      .kind = NormKind::kRms,
                      .dtype = Dtype::kBf16,
                      .add = add.data(),
                      .sum = sum.data()});
  EXPECT_THAT(sum.values(), ElementsAre(256, 256));
  EXPECT_EQ(rstd, 0x1p-8F);
  EXPECT_THAT(out.values(), ElementsAre(1, 1));
}

// With `add` it is that and the gradient; with `partial` the parameter's is written over what was there.
TEST(NormGrad, AddsAResidualPathAndWritesWhereSumsAreInOrder) {
  const std::vector<float> in = random_values(14, 1);
  const std::vector<float> rstd{1.5F, 2};
  const std::vector<float> out_grad = random_values(14, 2);
  std::vector<float> plain(14);
  std::vector<float> plain_weight(7);
  NormGradArgs args{.in = in.data(),
                    .rstd = rstd.data(),
                    .out_grad = out_grad.data(),
                    .in_grad = plain.data(),
                    .weight_grad = plain_weight.data(),
                    .rows = 2,
                    .cols = 7,
                    .kind = NormKind::kRms};
  run_on_cpu(args);
  const std::vector<float> residual = random_values(14, 3);
  std::vector<float> in_grad = residual;
  std::vector<float> weight_grad(7, 100);
  std::vector<float> partial(static_cast<size_t>(norm_grad_parts(2) * 7));
  args.in_grad = in_grad.data();
  args.weight_grad = weight_grad.data();
  args.add = in_grad.data();
  args.partial = partial.data();
  run_on_cpu(args);
  EXPECT_EQ(weight_grad, plain_weight);
  for (size_t i = 0; i < in_grad.size(); ++i) {
    EXPECT_NEAR(in_grad[i], residual[i] + plain[i], 1e-6) << i;
  }
  EXPECT_TRUE(work_of(args).order_free);
}

// Of 16 rows there are two parts; row r adds r to the gradient of the only weight.
TEST(NormGrad, LeavesPartsThatAddUpToTheWeightsGradient) {
  const std::vector<float> ones(16, 1);
  std::vector<float> out_grad(16);
  std::iota(out_grad.begin(), out_grad.end(), 0.0F);
  std::vector<float> in_grad(16);
  std::vector<float> parts(2);
  ASSERT_EQ(norm_grad_parts(16), 2);
  run_on_cpu(NormGradArgs{.in = ones.data(),
                          .rstd = ones.data(),
                          .out_grad = out_grad.data(),
                          .in_grad = in_grad.data(),
                          .rows = 16,
                          .cols = 1,
                          .kind = NormKind::kRms,
                          .partial = parts.data()});
  EXPECT_THAT(parts, ElementsAre(28, 92));
  float sum = 0;
  run_on_cpu(SumPartsArgs{parts.data(), &sum, 1, 2, 1});
  EXPECT_EQ(sum, 120);
}

TEST(NormWork, ListsWhatIsAdded) {
  float data[1] = {};
  const NormArgs norm{.in = data, .out = data, .rows = 4, .cols = 8, .kind = NormKind::kRms, .add = data, .sum = data};
  EXPECT_EQ(work_of(norm).flops, 4 * 32);
  ASSERT_EQ(work_of(norm).arrays.size(), 4U);
  EXPECT_EQ(work_of(norm).arrays[2].access, Access::kRead);
  EXPECT_EQ(work_of(norm).arrays[3].access, Access::kWrite);
  const NormGradArgs grad{.in = data,
                          .rstd = data,
                          .out_grad = data,
                          .in_grad = data,
                          .weight_grad = data,
                          .rows = 4,
                          .cols = 8,
                          .kind = NormKind::kRms,
                          .add = data,
                          .partial = data};
  const OpWork work = work_of(grad);
  EXPECT_EQ(work.flops, 9 * 32);
  ASSERT_EQ(work.arrays.size(), 7U);
  EXPECT_EQ(work.arrays[4].access, Access::kWrite);
  EXPECT_EQ(work.arrays[6].access, Access::kScratch);
  EXPECT_EQ(work.arrays[6].bytes, norm_grad_parts(4) * 8 * 4);
  NormGradArgs in_parts = grad;
  in_parts.weight_grad = nullptr;
  EXPECT_EQ(work_of(in_parts).flops, 9 * 32);
  EXPECT_EQ(work_of(in_parts).arrays.back().access, Access::kWrite);
}

TEST(NormWork, ListsWhatIsGiven) {
  float data[1] = {};
  const NormArgs plain{.in = data, .out = data, .rows = 4, .cols = 8, .kind = NormKind::kRms};
  EXPECT_EQ(work_of(plain).arrays.size(), 2U);
  EXPECT_EQ(work_of(plain).flops, 3 * 32);
  NormGradArgs grad{
      .in = data, .rstd = data, .out_grad = data, .in_grad = data, .rows = 4, .cols = 8, .kind = NormKind::kRms};
  EXPECT_TRUE(work_of(grad).order_free);
  grad.weight_grad = data;
  EXPECT_FALSE(work_of(grad).order_free);
  EXPECT_EQ(work_of(grad).arrays.back().access, Access::kReadWrite);
  EXPECT_EQ(work_of(grad).arrays.back().bytes, 32);
}

}  // namespace
}  // namespace aaco
