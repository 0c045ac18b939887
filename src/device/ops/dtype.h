// SPDX-License-Identifier: MIT
// Element types of device memory, the same in every backend and in the kernels' arguments.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace aaco {

enum class Dtype : int32_t { kF32, kF16, kBf16, kI32, kU8 };

constexpr int64_t size_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF32:
    case Dtype::kI32:
      return 4;
    case Dtype::kF16:
    case Dtype::kBf16:
      return 2;
    case Dtype::kU8:
      return 1;
  }
  return 0;
}

constexpr const char* name_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF32:
      return "fp32";
    case Dtype::kF16:
      return "fp16";
    case Dtype::kBf16:
      return "bf16";
    case Dtype::kI32:
      return "int32";
    case Dtype::kU8:
      return "uint8";
  }
  return "?";
}

// IEEE binary16 and bfloat16 as the host computes with them: rounded to nearest, ties to even; NaN stays NaN.
struct Half {
  uint16_t bits = 0;
};
struct Bfloat16 {
  uint16_t bits = 0;
};

inline float to_float(Bfloat16 value) { return std::bit_cast<float>(static_cast<uint32_t>(value.bits) << 16); }

inline Bfloat16 to_bfloat16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffU) > 0x7f800000U) {
    return {static_cast<uint16_t>((bits >> 16) | 0x40U)};
  }
  return {static_cast<uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16)};
}

inline float to_float(Half value) {
  const uint32_t sign = static_cast<uint32_t>(value.bits & 0x8000U) << 16;
  const uint32_t exponent = (value.bits >> 10) & 0x1fU;
  const uint32_t mantissa = value.bits & 0x3ffU;
  if (exponent == 0x1f) {
    return std::bit_cast<float>(sign | 0x7f800000U | (mantissa << 13));
  }
  if (exponent == 0) {  // zero or subnormal: mantissa * 2^-24, exactly
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;
    return sign != 0 ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

inline Half to_half(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000U;
  const uint32_t magnitude = bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) {
    return {static_cast<uint16_t>(sign | 0x7e00U)};
  }
  if (magnitude >= 0x477ff000U) {  // 65520 and more round to infinity
    return {static_cast<uint16_t>(sign | 0x7c00U)};
  }
  if (magnitude < 0x38800000U) {  // below 2^-14: subnormal; adding 0.5 leaves the rounded mantissa in the low bits
    const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
    return {static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000U))};
  }
  const uint32_t rounded = magnitude + 0xfffU + ((magnitude >> 13) & 1U);
  return {static_cast<uint16_t>(sign | ((rounded - 0x38000000U) >> 13))};
}

}  // namespace aaco
