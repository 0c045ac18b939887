// SPDX-License-Identifier: MIT
// Sums, products and fused products of fp16 values, rounded once to the nearest.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "half.h"

namespace aaco::amd {

inline Half negated(Half value) { return {static_cast<std::uint16_t>(value.bits ^ 0x8000U)}; }

// Sums and products of two are exact in fp64.
inline Half half_sum(Half a, Half b) { return {to_half(double{from_half(a.bits)} + from_half(b.bits))}; }
inline Half half_product(Half a, Half b) { return {to_half(double{from_half(a.bits)} * from_half(b.bits))}; }

// The sum of a product and c may have more bits than fp64: it is rounded to odd there, after which rounding to fp16 is
// that of the exact sum.
inline Half half_fused(Half a, Half b, Half c) {
  const double product = double{from_half(a.bits)} * from_half(b.bits);
  const double addend = from_half(c.bits);
  double sum = product + addend;
  if (std::isfinite(sum)) {
    const double part = sum - product;
    const double error = (product - (sum - part)) + (addend - part);
    const auto bits = std::bit_cast<std::uint64_t>(sum);
    if (error != 0 && (bits & 1U) == 0) {
      const bool away = (error > 0) == (sum > 0);
      sum = std::bit_cast<double>(away ? bits + 1 : bits - 1);
    }
  }
  return {to_half(sum)};
}

inline Half half_minimum(Half a, Half b) {
  const float x = from_half(a.bits);
  const float y = from_half(b.bits);
  if (std::isnan(x) || std::isnan(y)) {
    return std::isnan(x) ? b : a;
  }
  return x < y || (x == y && std::signbit(x)) ? a : b;
}

inline Half half_maximum(Half a, Half b) {
  const float x = from_half(a.bits);
  const float y = from_half(b.bits);
  if (std::isnan(x) || std::isnan(y)) {
    return std::isnan(x) ? b : a;
  }
  return x > y || (x == y && std::signbit(y)) ? a : b;
}

}  // namespace aaco::amd
