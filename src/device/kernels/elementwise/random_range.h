// SPDX-License-Identifier: MIT
// The range of a random operation as its kernels take it; for the CPU and for the host side of the GPU alike.
#pragma once

#include <algorithm>
#include <cmath>

#include "device/kernels/philox.h"
#include "device/ops/elementwise.h"

namespace aaco {

// The next value towards minus infinity, of a floating type given as its bits.
template <class Bits>
constexpr Bits next_below(Bits bits) {
  const auto sign = static_cast<Bits>(Bits{1} << (sizeof(Bits) * 8 - 1));
  if ((bits & static_cast<Bits>(~sign)) == 0) {  // zero
    return static_cast<Bits>(sign | 1U);
  }
  return static_cast<Bits>((bits & sign) != 0 ? bits + 1U : bits - 1U);
}

inline float largest_below(Dtype dtype, float high) {
  switch (dtype) {
    case Dtype::kF16:
      return to_float(Half{next_below(to_half(high).bits)});
    case Dtype::kBf16:
      return to_float(Bfloat16{next_below(to_bfloat16(high).bits)});
    default:
      return std::bit_cast<float>(next_below(std::bit_cast<uint32_t>(high)));
  }
}

inline UniformRange uniform_range(const RandomArgs& args) {
  UniformRange range;
  if (args.dtype == Dtype::kI32 || args.dtype == Dtype::kU8) {
    range.low_integer = static_cast<int64_t>(std::ceil(args.low));
    range.integers = static_cast<uint64_t>(std::max(1.0, std::ceil(args.high) - std::ceil(args.low)));
    return range;
  }
  range.low = args.low;
  range.span = static_cast<double>(static_cast<float>(args.high - args.low));
  range.below_high = largest_below(args.dtype, static_cast<float>(args.high));
  return range;
}

}  // namespace aaco
