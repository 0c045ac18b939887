// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "device/kernels/training/dropout_mask.h"
#include "device/ops/op_work.h"

namespace aaco {
namespace {

struct MaskedOnes {
  TrainingClock clock{.step = 3};
  DropoutMask mask{.clock = &clock, .seed = 42, .first = 0, .probability = 0.1, .site = 2};

  std::vector<float> apply(const std::vector<float>& in, UnaryOp op = UnaryOp::kCast,
                           const std::vector<float>& add = {}) const {
    std::vector<float> out(in.size());
    run_on_cpu(DropoutArgs{in.data(), add.empty() ? nullptr : add.data(), out.data(), static_cast<int64_t>(in.size()),
                           mask, op});
    return out;
  }
  std::vector<float> of_ones(size_t count) const { return apply(std::vector<float>(count, 1)); }
};

TEST(Dropout, DropsTheWordsBelowItsShareOfAllWords) {
  EXPECT_EQ(dropped_below(0), 0U);
  EXPECT_EQ(dropped_below(0.5), 0x80000000U);
  EXPECT_EQ(dropped_below(0.25), 0x40000000U);
  EXPECT_EQ(dropped_below(0.1), 429496729U);  // 429496729.6
  // Each element by its own word, which is the generator's.
  MaskedOnes masked;
  const std::vector<float> out = masked.of_ones(4000);
  for (size_t i = 0; i < out.size(); ++i) {
    const PhiloxBlock words = philox({{static_cast<uint32_t>(i / 4), 0, 3, 2}}, 42);
    EXPECT_EQ(out[i], words.word[i % 4] < 429496729U ? 0 : static_cast<float>(1 / 0.9)) << i;
  }
}

// A million elements: five deviations of a binomial distribution are 1500 of the 100,000 expected ones.
TEST(Dropout, DropsAsManyAsItsProbabilitySays) {
  constexpr size_t kCount = 1'000'000;
  MaskedOnes masked;
  const std::vector<float> out = masked.of_ones(kCount);
  const auto gone = std::count(out.begin(), out.end(), 0.0F);
  EXPECT_NEAR(static_cast<double>(gone), 100'000, 1500);
  masked.mask.probability = 0;
  EXPECT_EQ(masked.of_ones(1000), std::vector<float>(1000, 1));
}

TEST(Dropout, IsAnotherOneInEachStepSiteAndSeedAndTheSameByElement) {
  constexpr size_t kCount = 64;
  MaskedOnes masked;
  const std::vector<float> here = masked.of_ones(kCount);
  EXPECT_EQ(masked.of_ones(kCount), here);
  for (const auto change :
       {+[](MaskedOnes& other) { other.clock.step = 4; }, +[](MaskedOnes& other) { other.mask.site = 3; },
        +[](MaskedOnes& other) { other.mask.seed = 43; }}) {
    MaskedOnes other;
    other.mask.clock = &other.clock;
    change(other);
    EXPECT_NE(other.of_ones(kCount), here);
  }
  // A rank that has the elements from 13 on.
  MaskedOnes part;
  part.mask.clock = &part.clock;
  part.mask.first = 13;
  EXPECT_EQ(part.of_ones(kCount - 13), std::vector<float>(here.begin() + 13, here.end()));
}

TEST(Dropout, AddsAndAppliesItsFunction) {
  const MaskedOnes masked;
  const std::vector<float> kept = masked.of_ones(32);
  const std::vector<float> out = masked.apply(std::vector<float>(32, 1), UnaryOp::kGelu, std::vector<float>(32, 10));
  for (size_t i = 0; i < out.size(); ++i) {
    EXPECT_NEAR(out[i], 10 + (kept[i] == 0 ? 0 : 0.8413447 / 0.9), 1e-6) << i;  // gelu(1) = Phi(1)
  }
}

// Its gradient, by differences of the same mask.
TEST(Dropout, GradientIsOfTheElementsThatWereKept) {
  const MaskedOnes masked;
  const size_t count = 40;
  std::vector<float> in(count);
  for (size_t i = 0; i < count; ++i) {
    in[i] = static_cast<float>(i) / 10 - 2;
  }
  for (const UnaryOp op : {UnaryOp::kCast, UnaryOp::kGelu}) {
    const std::vector<float> ones(count, 1);
    std::vector<float> grad(count);
    run_on_cpu(DropoutGradArgs{in.data(), ones.data(), grad.data(), static_cast<int64_t>(count), masked.mask, op});
    std::vector<float> above = in;
    std::vector<float> below = in;
    for (size_t i = 0; i < count; ++i) {
      above[i] += 0.01F;
      below[i] -= 0.01F;
    }
    const std::vector<float> high = masked.apply(above, op);
    const std::vector<float> low = masked.apply(below, op);
    for (size_t i = 0; i < count; ++i) {
      EXPECT_NEAR(grad[i], (high[i] - low[i]) / (above[i] - below[i]), 1e-3) << i;
    }
    EXPECT_EQ(std::count(grad.begin(), grad.end(), 0.0F), std::count(high.begin(), high.end(), 0.0F));
  }
}

TEST(BinaryCrossEntropy, GivesKnownLossesAndGradients) {
  const std::vector<float> score{0, 2, -1000, 1000};
  const std::vector<float> target{0.25F, 1, 0, 0.5F};
  const std::vector<float> weight{1, 0.5F, 3, 2};
  std::vector<float> loss(4);
  std::vector<float> grad(4);
  run_on_cpu(BinaryCrossEntropyArgs{score.data(), target.data(), weight.data(), loss.data(), grad.data(), 4, 0.5F});
  EXPECT_NEAR(loss[0], std::log(2.0), 1e-7);
  EXPECT_NEAR(loss[1], 0.5 * std::log1p(std::exp(-2.0)), 1e-7);
  EXPECT_EQ(loss[2], 0);
  EXPECT_EQ(loss[3], 2 * (1000 - 0.5F * 1000));
  EXPECT_EQ(grad[0], 0.5F * 0.25F);
  EXPECT_NEAR(grad[1], 0.5 * 0.5 * (1 / (1 + std::exp(-2.0)) - 1), 1e-8);
  EXPECT_EQ(grad[2], 0);
  EXPECT_EQ(grad[3], 0.5F * 2 * 0.5F);
}

}  // namespace
}  // namespace aaco
