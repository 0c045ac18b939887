// SPDX-License-Identifier: MIT
// Conversions of 16-bit floating point, as bits.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace aaco::amd {

struct Half {  // IEEE binary16
  std::uint16_t bits = 0;
};

inline float from_half(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16U;
  const std::uint32_t magnitude = bits & 0x7fffU;
  if (magnitude >= 0x7c00U) {
    return std::bit_cast<float>(sign | 0x7f800000U | ((magnitude & 0x3ffU) << 13U));
  }
  if (magnitude >= 0x400U) {
    return std::bit_cast<float>(sign | ((magnitude << 13U) + 0x38000000U));
  }
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(static_cast<float>(magnitude) * 0x1p-24F));
}

// To the nearest, ties to even. A NaN stays one and becomes quiet.
inline std::uint16_t to_half(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 48U) & 0x8000U);
  const double magnitude = std::fabs(value);
  if (std::isnan(value)) {
    return static_cast<std::uint16_t>(sign | 0x7e00U | ((bits >> 42U) & 0x1ffU));
  }
  if (magnitude >= 65520.0) {
    return static_cast<std::uint16_t>(sign | 0x7c00U);
  }
  if (magnitude < 0x1p-14) {  // a denormal: its unit is 2^-24
    return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(std::nearbyint(magnitude * 0x1p24)));
  }
  const std::uint64_t wide = bits & 0x7fff'ffff'ffff'ffffU;
  const std::uint64_t rounded = wide + 0x1ff'ffff'ffffULL + ((wide >> 42U) & 1U);
  return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>((rounded >> 42U) - (std::uint64_t{1008} << 10U)));
}

inline float from_bfloat(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U); }

}  // namespace aaco::amd
