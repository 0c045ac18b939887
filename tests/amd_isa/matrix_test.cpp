// SPDX-License-Identifier: MIT
// Matrix products of a wave, with operands whose product is worked out by hand.
#include <bit>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "fixture/fragment.h"
#include "half.h"

namespace aaco::amd {
namespace {

using testing::HasSubstr;

// A[i][k] = i + 1 where k = i, else 0; B[k][j] = k + 10 j: D[i][j] = (i + 1)(i + 10 j) + 1.
TEST(MatrixTest, MfmaPutsResultsWhereTheyBelong) {
  for (const bool is_half : {true, false}) {
    Fragment fragment(Architecture::kGfx942);
    const auto bits = [is_half](int value) -> std::uint32_t {
      return is_half ? to_half(value) : std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16U;
    };
    for (int lane = 0; lane < 64; ++lane) {
      for (int pair = 0; pair < 2; ++pair) {
        std::uint32_t a = 0;
        std::uint32_t b = 0;
        for (int half = 0; half < 2; ++half) {
          const int k = 4 * (lane / 16) + 2 * pair + half;
          a |= bits(k == lane % 16 ? k + 1 : 0) << (16 * half);
          b |= bits(k + 10 * (lane % 16)) << (16 * half);
        }
        fragment.wave().registers(pair)[lane] = a;
        fragment.wave().registers(2 + pair)[lane] = b;
      }
    }
    for (int i = 4; i < 8; ++i) {
      fragment.set("a" + std::to_string(i), std::bit_cast<std::uint32_t>(1.0F));
    }
    fragment.set("exec", 0);  // is ignored
    ASSERT_EQ(fragment.run(is_half ? "v_mfma_f32_16x16x16_f16 a[0:3], v[0:1], v[2:3], a[4:7]"
                                   : "v_mfma_f32_16x16x16_bf16 a[0:3], v[0:1], v[2:3], a[4:7]"),
              "");
    for (int lane = 0; lane < 64; ++lane) {
      for (int word = 0; word < 4; ++word) {
        const int row = 4 * (lane / 16) + word;
        const float expected = static_cast<float>((row + 1) * (row + 10 * (lane % 16)) + 1);
        EXPECT_EQ(std::bit_cast<float>(fragment.wave().registers(kAccumulators + word)[lane]), expected);
      }
    }
  }
}

// A[i][k] = i + 3 k, B[k][j] = k - 2 j, C = 1; small enough to be exact in each type.
struct Mfma {
  const char* text;  // of v[0:1] and v[2:3], or v0 and v2, into a[0:15] or a[0:3]
  int size;          // rows and columns
  int depth;
  int parts;  // of A and of B that a lane holds, one behind another in k
  std::uint32_t (*bits)(int value);
};

std::uint32_t float_bits(int value) { return std::bit_cast<std::uint32_t>(static_cast<float>(value)); }

constexpr Mfma kMfmas[] = {
    {"v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], 1.0", 32, 8, 4,
     [](int value) -> std::uint32_t { return to_half(value); }},
    {"v_mfma_f32_32x32x8_bf16 a[0:15], v[0:1], v[2:3], 1.0", 32, 8, 4,
     [](int value) { return float_bits(value) >> 16U; }},
    {"v_mfma_f32_16x16x4_f32 a[0:3], v0, v2, 1.0", 16, 4, 1, float_bits},
    {"v_mfma_f32_32x32x2_f32 a[0:15], v0, v2, 1.0", 32, 2, 1, float_bits},
};

TEST(MatrixTest, MfmaOfEverySize) {
  for (const Mfma& mfma : kMfmas) {
    Fragment fragment(Architecture::kGfx942);
    for (int lane = 0; lane < 64; ++lane) {
      for (int part = 0; part < mfma.parts; ++part) {
        const int at = lane % mfma.size;  // the row of A, the column of B
        const int k = mfma.parts * (lane / mfma.size) + part;
        const int shift = mfma.parts == 1 ? 0 : 16 * (part % 2);
        fragment.wave().registers(part / 2)[lane] |= mfma.bits(at + 3 * k) << shift;
        fragment.wave().registers(2 + part / 2)[lane] |= mfma.bits(k - 2 * at) << shift;
      }
    }
    ASSERT_EQ(fragment.run(mfma.text), "");
    for (int lane = 0; lane < 64; ++lane) {
      for (int word = 0; word < mfma.size * mfma.size / 64; ++word) {
        // Four rows lie behind one another in a lane, then come those of the lanes beside it.
        const int row = word / 4 * (256 / mfma.size) + 4 * (lane / mfma.size) + word % 4;
        const int column = lane % mfma.size;
        int expected = 1;
        for (int k = 0; k < mfma.depth; ++k) {
          expected += (row + 3 * k) * (k - 2 * column);
        }
        EXPECT_EQ(std::bit_cast<float>(fragment.wave().registers(kAccumulators + word)[lane]),
                  static_cast<float>(expected))
            << mfma.text << " lane " << lane << " word " << word;
      }
    }
  }
}

class WmmaTest : public testing::TestWithParam<bool> {};

TEST_P(WmmaTest, PutsResultsWhereTheyBelong) {
  const bool is_half = GetParam();
  const std::string product = std::string("v_wmma_f32_16x16x16_") + (is_half ? "f16" : "bf16");
  const auto bits = [is_half](int value) -> std::uint32_t {
    return is_half ? to_half(value) : float_bits(value) >> 16U;
  };
  Fragment fragment(Architecture::kGfx1100);
  for (int lane = 0; lane < 32; ++lane) {
    for (int k = 0; k < 16; k += 2) {
      const int i = lane % 16;
      const auto a = [&](int at) { return bits(at == i ? i + 1 : 0); };
      const auto b = [&](int at) { return bits(at + 10 * i); };
      fragment.wave().registers(8 + k / 2)[lane] = a(k) | (a(k + 1) << 16U);
      fragment.wave().registers(16 + k / 2)[lane] = b(k) | (b(k + 1) << 16U);
    }
  }
  ASSERT_EQ(fragment.run(product + " v[0:7], v[8:15], v[16:23], 1.0"), "");
  for (int lane = 0; lane < 32; ++lane) {
    for (int word = 0; word < 8; ++word) {
      const int row = 2 * word + lane / 16;
      const float expected = static_cast<float>((row + 1) * (row + 10 * (lane % 16)) + 1);
      EXPECT_EQ(std::bit_cast<float>(fragment.wave().registers(word)[lane]), expected);
    }
  }
  fragment.wave().registers(8)[20] ^= 1U;
  EXPECT_THAT(fragment.run(product + " v[0:7], v[8:15], v[16:23], 1.0"), HasSubstr("lanes 16 to 31"));
}

INSTANTIATE_TEST_SUITE_P(, WmmaTest, testing::Bool(),
                         [](const auto& info) { return std::string(info.param ? "f16" : "bf16"); });

}  // namespace
}  // namespace aaco::amd
