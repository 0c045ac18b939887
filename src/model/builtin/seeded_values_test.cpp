// SPDX-License-Identifier: MIT
#include "model/builtin/seeded_values.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

#include "model/float16.h"

namespace aaco {
namespace {

std::vector<float> floats(const std::string& bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST(Float16, RoundsToNearestEven) {
  const struct {
    double value;
    uint16_t bits;
  } cases[] = {
      {0.0, 0x0000},
      {-0.0, 0x8000},
      {1.0, 0x3C00},
      {-2.0, 0xC000},
      {1 + 0x1p-11, 0x3C00},            // half way: down to even
      {1 + 0x3p-11, 0x3C02},            // half way: up to even
      {1 + 0x1p-11 + 0x1p-20, 0x3C01},  // just above half way
      {65504, 0x7BFF},
      {65519.99, 0x7BFF},
      {65520, 0x7C00},  // half way to 2^16
      {1e30, 0x7C00},
      {0x1p-14, 0x0400},            // the smallest normal
      {0x1p-14 - 0x1p-26, 0x0400},  // rounds up into it
      {0x1p-24, 0x0001},            // the smallest subnormal
      {0x1p-25, 0x0000},            // half of it: down to even
      {-0x3p-25, 0x8002},           // one and a half: up to even
      {0x1p-25 + 0x1p-40, 0x0001},  // just above half
      {std::numeric_limits<double>::infinity(), 0x7C00},
      {-std::numeric_limits<double>::infinity(), 0xFC00},
  };
  for (const auto& [value, bits] : cases) {
    EXPECT_EQ(float16_bits(static_cast<float>(value)), bits) << value;
  }
  EXPECT_EQ(float16_bits(std::numeric_limits<float>::quiet_NaN()) & 0x7FFF, 0x7E00);
}

TEST(Float16, KeepsEveryFiniteBinary16) {
  for (uint32_t bits = 0; bits < 0x7C00; ++bits) {
    const int exponent = static_cast<int>(bits >> 10);
    const int mantissa = static_cast<int>(bits & 0x3FF);
    // IEEE 754: mantissa 2^-24 for subnormals, (1024 + mantissa) 2^(exponent - 25) otherwise.
    const double value = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
    ASSERT_EQ(float16_bits(static_cast<float>(value)), bits);
    ASSERT_EQ(float16_bits(static_cast<float>(-value)), bits | 0x8000);
  }
}

TEST(SeededValues, AreThoseOfTheDefinition) {
  // Sums less their mean for seed 7 and stream "w", from a separate program; sqrt((2^32 - 1) / 3) is their deviation.
  const double sums[] = {-23209, 10952, -54671, 88254, -56767, -5461};
  const std::vector<float> values = floats(seeded_values(7, "w", 6, {10, 2}, ElementType::kFloat));
  ASSERT_EQ(values.size(), 6U);
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_FLOAT_EQ(values[i], static_cast<float>(10 + 2 * sums[i] / std::sqrt(4294967295.0 / 3)));
  }
}

TEST(SeededValues, HaveTheMomentsAndTheBoundThatAreAskedFor) {
  constexpr int64_t kCount = 1'000'000;
  const std::vector<float> values = floats(seeded_values(1, "moments", kCount, {3, 0.5}, ElementType::kFloat));
  double sum = 0;
  double squares = 0;
  for (const float value : values) {
    const double centred = value - 3.0;
    sum += centred;
    squares += centred * centred;
    ASSERT_LE(std::abs(centred), 0.5 * 2 * std::sqrt(3.0) + 1e-6);
  }
  // Standard errors: 0.5 / 1000 of the mean; of the variance 0.25 sqrt((kurtosis 2.7 - 1) / n). Five of each.
  EXPECT_NEAR(sum / kCount, 0, 5 * 0.0005);
  EXPECT_NEAR(squares / kCount, 0.25, 5 * 0.25 * std::sqrt(1.7) / 1000);
}

TEST(SeededValues, DependOnSeedAndStreamOnly) {
  const auto values = [](uint64_t seed, const char* stream, int64_t count) {
    return seeded_values(seed, stream, count, {}, ElementType::kFloat);
  };
  EXPECT_EQ(values(1, "a", 100), values(1, "a", 100));
  EXPECT_EQ(values(1, "a", 100), values(1, "a", 200).substr(0, 400));
  EXPECT_NE(values(1, "a", 100), values(2, "a", 100));
  EXPECT_NE(values(1, "a", 100), values(1, "b", 100));
  EXPECT_NE(values(0, "", 100), values(1, "", 100));
}

TEST(SeededValues, OfBinary16AreThoseOfFloatRounded) {
  const std::vector<float> wide = floats(seeded_values(5, "x", 1000, {0, 0.02}, ElementType::kFloat));
  const std::string narrow = seeded_values(5, "x", 1000, {0, 0.02}, ElementType::kFloat16);
  ASSERT_EQ(narrow.size(), 2000U);
  for (size_t i = 0; i < wide.size(); ++i) {
    uint16_t bits = 0;
    std::memcpy(&bits, narrow.data() + 2 * i, sizeof(bits));
    ASSERT_EQ(bits, float16_bits(wide[i]));
  }
}

}  // namespace
}  // namespace aaco
