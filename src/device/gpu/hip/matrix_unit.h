// SPDX-License-Identifier: MIT
// matrix_unit.h in HIP: MFMA of 16 x 16 with waves of 64 lanes, on gfx908, gfx90a and gfx942 (runtime.cpp names the
// same ones). The hardware's own names of rows and columns are exchanged: it computes the transpose, with the right
// factor as its first operand, so that what it gives a lane of a product is what it takes from it of a first operand.
#pragma once

#include <type_traits>

namespace aaco::gpu {

// Four elements of a row that lie side by side.
template <class Fragment, class T>
AACO_DEVICE Fragment four_of_row(const T* tile, int stride) {
  Fragment fragment;
  const T* const from = tile + row_of_lane(0) * stride + column_of_lane(0);
  __builtin_memcpy(fragment.words, __builtin_assume_aligned(from, 4 * sizeof(T)), 4 * sizeof(T));
  return fragment;
}

template <class T>
AACO_DEVICE LeftFragment<T> load_left(const T* tile, int stride) {
  return four_of_row<LeftFragment<T>>(tile, stride);
}

template <class T>
AACO_DEVICE RightFragment<T> load_right_transposed(const T* tile, int stride) {
  return four_of_row<RightFragment<T>>(tile, stride);
}

template <class T>
AACO_DEVICE RightFragment<T> load_right(const T* tile, int stride) {
  RightFragment<T> right;
  AACO_UNROLL
  for (int c = 0; c < kColumnsOfLane; c += 2) {
    const uint32_t low = tile[column_of_lane(c) * stride + row_of_lane(0)].bits;
    const uint32_t high = tile[column_of_lane(c + 1) * stride + row_of_lane(0)].bits;
    right.words[c / 2] = low | high << 16;
  }
  return right;
}

#if defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx942__)
static_assert(kWaveLanes == 64);

using FourFloats = __attribute__((ext_vector_type(4))) float;
using FourHalves = __attribute__((ext_vector_type(4))) _Float16;
using FourShorts = __attribute__((ext_vector_type(4))) short;
using TwoShorts = __attribute__((ext_vector_type(2))) short;

template <class T>
AACO_DEVICE void multiply_add(MatrixProduct& to, const LeftFragment<T>& left, const RightFragment<T>& right) {
  auto sum = __builtin_bit_cast(FourFloats, to);
  if constexpr (std::is_same_v<T, Half>) {
    sum = __builtin_amdgcn_mfma_f32_16x16x16f16(__builtin_bit_cast(FourHalves, right),
                                                __builtin_bit_cast(FourHalves, left), sum, 0, 0, 0);
  } else {
#if defined(__gfx908__)  // half the depth; which elements of the sum come first is the same in both factors
    for (int i = 0; i < 2; ++i) {
      sum = __builtin_amdgcn_mfma_f32_16x16x8bf16(__builtin_bit_cast(TwoShorts, right.words[i]),
                                                  __builtin_bit_cast(TwoShorts, left.words[i]), sum, 0, 0, 0);
    }
#else
    sum = __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(__builtin_bit_cast(FourShorts, right),
                                                    __builtin_bit_cast(FourShorts, left), sum, 0, 0, 0);
#endif
  }
  to = __builtin_bit_cast(MatrixProduct, sum);
}
#else
template <class T>
AACO_DEVICE void multiply_add(MatrixProduct& /*to*/, const LeftFragment<T>& /*left*/,
                              const RightFragment<T>& /*right*/) {
  __builtin_trap();
}
#endif

template <class T>
AACO_DEVICE uint32_t pair_of(float low, float high) {
  if constexpr (std::is_same_v<T, Half>) {
    return float_to_half(low) | static_cast<uint32_t>(float_to_half(high)) << 16;
  } else {
    return float_to_bfloat16(low) | static_cast<uint32_t>(float_to_bfloat16(high)) << 16;
  }
}

}  // namespace aaco::gpu
