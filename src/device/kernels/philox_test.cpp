// SPDX-License-Identifier: MIT
#include "device/kernels/philox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

#include "device/kernels/test_values.h"
#include "device/ops/op_work.h"

namespace aaco {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

// The known answers that Random123 is published with (kat_vectors, philox4x32 10).
TEST(Philox, GivesThePublishedAnswers) {
  EXPECT_THAT(philox({{0, 0, 0, 0}}, 0).word, ElementsAre(0x6627e8d5U, 0xe169c58dU, 0xbc57ac4cU, 0x9b00dbd8U));
  EXPECT_THAT(philox({{0xffffffffU, 0xffffffffU, 0xffffffffU, 0xffffffffU}}, 0xffffffffffffffffU).word,
              ElementsAre(0x408f276dU, 0x41c83b0eU, 0xa20bc7c6U, 0x6d5451fdU));
  EXPECT_THAT(philox({{0x243f6a88U, 0x85a308d3U, 0x13198a2eU, 0x03707344U}}, 0x299f31d0a4093822U).word,
              ElementsAre(0xd16cfe09U, 0x94fdccebU, 0x5001e420U, 0x24126ea1U));
}

std::vector<float> random_floats(Dtype dtype, int64_t n, uint64_t seed, double low, double high) {
  TypedArray out = poisoned(dtype, n);
  run_on_cpu(RandomArgs{.out = out.data(), .n = n, .seed = seed, .low = low, .high = high, .dtype = dtype});
  return out.values();
}

// Element i is word i % 4 of counter i / 4, its upper 24 bits as a share of the range.
TEST(Random, TakesWordsInOrder) {
  const std::vector<float> values = random_floats(Dtype::kF32, 2050, 99, 0, 1);
  for (size_t i = 0; i < values.size(); ++i) {
    const uint32_t word = philox({{static_cast<uint32_t>(i / 4), 0, 0, 0}}, 99).word[i % 4];
    ASSERT_EQ(values[i], static_cast<float>(word >> 8) * 0x1p-24F) << i;
  }
}

TEST(Random, StaysInItsRangeInEveryType) {
  for (const Dtype dtype : {Dtype::kF32, Dtype::kF16, Dtype::kBf16}) {
    for (const auto& [low, high] : std::vector<std::pair<double, double>>{{0.9, 1}, {-1, 1}, {-1, 0}, {-3, -2.5}}) {
      for (const float value : random_floats(dtype, 100'000, 5, low, high)) {
        ASSERT_GE(value, rounded_to(dtype, static_cast<float>(low)));
        ASSERT_LT(value, rounded_to(dtype, static_cast<float>(high)));
      }
    }
  }
}

// Of a uniform distribution on [-1, 1): mean 0, variance 1/3; five standard errors of n values: 5 sqrt(1/3 / n) and
// 5 sqrt(4/45 / n).
TEST(Random, IsUniform) {
  constexpr int64_t kCount = 1'000'000;
  double sum = 0;
  double squares = 0;
  for (const double value : random_floats(Dtype::kF32, kCount, 3, -1, 1)) {
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / kCount, 0, 5 * std::sqrt(1.0 / 3 / kCount));
  EXPECT_NEAR(squares / kCount, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / kCount));
}

TEST(Random, GivesEachIntegerOfTheRangeAlike) {
  constexpr int64_t kCount = 60'000;
  std::vector<int32_t> values(kCount);
  run_on_cpu(RandomArgs{.out = values.data(), .n = kCount, .seed = 1, .low = -2, .high = 4, .dtype = Dtype::kI32});
  std::map<int32_t, int> counts;
  for (const int32_t value : values) {
    ++counts[value];
  }
  ASSERT_EQ(counts.size(), 6U);
  EXPECT_EQ(counts.begin()->first, -2);
  for (const auto& [value, count] : counts) {
    EXPECT_NEAR(count, 10'000, 5 * std::sqrt(10'000.0 * 5 / 6)) << value;  // binomial
  }
}

TEST(Random, DiffersBySeedAndTouchesNothingBeyond) {
  EXPECT_NE(random_floats(Dtype::kF32, 4, 1, 0, 1), random_floats(Dtype::kF32, 4, 2, 0, 1));
  EXPECT_NE(random_floats(Dtype::kF32, 4, 1, 0, 1), random_floats(Dtype::kF32, 4, uint64_t{1} << 32, 0, 1));
  std::vector<uint8_t> bytes(9, 77);
  run_on_cpu(RandomArgs{.out = bytes.data(), .n = 6, .low = 3, .high = 4, .dtype = Dtype::kU8});
  EXPECT_THAT(bytes, ElementsAre(3, 3, 3, 3, 3, 3, 77, 77, 77));
  run_on_cpu(RandomArgs{.out = bytes.data(), .n = 0, .low = 1, .high = 2, .dtype = Dtype::kU8});
  EXPECT_EQ(bytes[0], 3);
}

TEST(Fill, RoundsToTheType) {
  for (const Dtype dtype : {Dtype::kF32, Dtype::kF16, Dtype::kBf16}) {
    TypedArray out = poisoned(dtype, 2049);
    run_on_cpu(FillArgs{.out = out.data(), .n = 2049, .value = 0.1, .dtype = dtype});
    EXPECT_THAT(out.values(), Each(rounded_to(dtype, 0.1F)));
  }
  std::vector<int32_t> integers(3);
  run_on_cpu(FillArgs{.out = integers.data(), .n = 2, .value = -5, .dtype = Dtype::kI32});
  EXPECT_THAT(integers, ElementsAre(-5, -5, 0));
}

}  // namespace
}  // namespace aaco
