// SPDX-License-Identifier: MIT
// matrix_unit.h in CUDA: mma.m16n8k16, two for a tile, whose operands ldmatrix brings (PTX ISA, "Warp Level Matrix
// Instructions"); compute capability 8.0 and above.
#pragma once

#include <type_traits>

namespace aaco::gpu {

// Four 8 x 8 matrices, each row of one at the address that one lane gives.
template <class T>
AACO_DEVICE void load_matrices(const T* row, uint32_t (&words)[4]) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(row)))
               : "memory");
}

template <class T>
AACO_DEVICE LeftFragment<T> load_left(const T* tile, int stride) {
  LeftFragment<T> left;
  load_matrices(tile + lane() % 16 * stride + lane() / 16 * 8, left.words);
  return left;
}

template <class T>
AACO_DEVICE RightFragment<T> load_right_transposed(const T* tile, int stride) {
  RightFragment<T> right;
  load_matrices(tile + (lane() / 16 * 8 + lane() % 8) * stride + lane() / 8 % 2 * 8, right.words);
  return right;
}

template <class T>
AACO_DEVICE RightFragment<T> load_right(const T* tile, int stride) {
  RightFragment<T> right;
  const T* row = tile + lane() % 16 * stride + lane() / 16 * 8;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(right.words[0]), "=r"(right.words[1]), "=r"(right.words[2]), "=r"(right.words[3])
               : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(row)))
               : "memory");
  return right;
}

// Columns [8 half, 8 half + 8) of the product.
#define AACO_MULTIPLY_HALF(type)                                                                                    \
  asm("mma.sync.aligned.m16n8k16.row.col.f32." type "." type                                                        \
      ".f32 {%0, %1, %2, %3}, "                                                                                     \
      "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                                                               \
      : "+f"(to.values[0][2 * half]), "+f"(to.values[0][2 * half + 1]), "+f"(to.values[1][2 * half]),               \
        "+f"(to.values[1][2 * half + 1])                                                                            \
      : "r"(left.words[0]), "r"(left.words[1]), "r"(left.words[2]), "r"(left.words[3]), "r"(right.words[2 * half]), \
        "r"(right.words[2 * half + 1]))

template <class T>
AACO_DEVICE void multiply_add(MatrixProduct& to, const LeftFragment<T>& left, const RightFragment<T>& right) {
  AACO_UNROLL
  for (int half = 0; half < 2; ++half) {
    if constexpr (std::is_same_v<T, Half>) {
      AACO_MULTIPLY_HALF("f16");
    } else {
      AACO_MULTIPLY_HALF("bf16");
    }
  }
}
#undef AACO_MULTIPLY_HALF

template <class T>
AACO_DEVICE uint32_t pair_of(float low, float high) {
  uint32_t pair;
  if constexpr (std::is_same_v<T, Half>) {
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  } else {
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  }
  return pair;
}

}  // namespace aaco::gpu
