// SPDX-License-Identifier: MIT
// IEEE 754 binary16 from binary32, without needing the processor's F16C instructions.
#pragma once

#include <bit>
#include <cstdint>

namespace aaco {

// The bits of the nearest binary16, ties to even: subnormals kept, 65520 and more infinite, NaN quiet.
inline uint16_t float16_bits(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000;
  const uint32_t magnitude = bits & 0x7FFF'FFFF;
  uint32_t half = 0;
  if (magnitude > 0x7F80'0000) {  // NaN
    half = 0x7E00;
  } else if (magnitude >= 0x477F'F000) {  // 65520, half way from the largest binary16 to the next power of two
    half = 0x7C00;
  } else if (magnitude < 0x3880'0000) {  // 2^-14; floats from 0.5 on are 2^-24 apart, as binary16 subnormals are
    half = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - std::bit_cast<uint32_t>(0.5F);
  } else {
    constexpr uint32_t kExponentShift = uint32_t{127 - 15} << 23;
    half = (magnitude - kExponentShift + 0xFFF + ((magnitude >> 13) & 1)) >> 13;
  }
  return static_cast<uint16_t>(sign | half);
}

}  // namespace aaco
