// SPDX-License-Identifier: MIT
// Seeded random numbers that are the same on every machine: integers, one multiplication, no libm.
#pragma once

#include <cstdint>
#include <string_view>

namespace aaco {

// Bell-shaped values: `mean` and standard deviation, and nothing beyond mean +- 3.4641 (2 sqrt 3) deviations.
struct Bell {
  double mean = 0;
  double deviation = 1;
};

// SplitMix64 (Steele, Lea & Flood, OOPSLA 2014). Each pair of seed and stream is a sequence of its own, so a tensor's
// values do not depend on which tensors come before it.
class SeededRandom {
 public:
  SeededRandom(uint64_t seed, std::string_view stream) : state_(mix(seed + 1)) {
    for (const char character : stream) {
      state_ = mix(state_ ^ static_cast<unsigned char>(character));
    }
  }

  // 64 uniform bits.
  uint64_t next() {
    state_ += 0x9E37'79B9'7F4A'7C15;
    return mix(state_);
  }

  // The sum of the four 16-bit parts of one output, centred and scaled: the Irwin-Hall distribution of order 4.
  // Preferred to Box-Muller, whose logarithm and cosine may differ in the last bit between C libraries and processors.
  double bell(const Bell& bell) {
    // The variance of one part is (2^32 - 1) / 12, so that of the sum is a third of 2^32 - 1; its root is 37837.2272.
    // The digits here are off by 10^-8, and stay: every weight of the built-in models depends on them.
    constexpr double kDeviationOfSum = 37837.2268;
    constexpr int32_t kMeanOfSum = 2 * 0xFFFF;
    const uint64_t bits = next();
    const auto sum =
        static_cast<int32_t>((bits & 0xFFFF) + (bits >> 16 & 0xFFFF) + (bits >> 32 & 0xFFFF) + (bits >> 48));
    return bell.mean + bell.deviation / kDeviationOfSum * (sum - kMeanOfSum);
  }

 private:
  static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58'476D'1CE4'E5B9;
    z = (z ^ (z >> 27)) * 0x94D0'49BB'1331'11EB;
    return z ^ (z >> 31);
  }

  uint64_t state_;
};

}  // namespace aaco
