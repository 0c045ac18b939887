// SPDX-License-Identifier: MIT
// The matrix units: products of 16 x 16 tiles of fp16 or bf16 by one wave, summed in fp32. Host code asks
// DeviceLimits::matrix_units before it launches a kernel that uses them; elsewhere multiply_add traps.
//
// A tile is spread over the wave's lanes. A lane has of a MatrixProduct the elements values[r][c] at row_of_lane(r),
// column_of_lane(c); of a left factor the same ones, so that a product becomes a left factor within each lane; of a
// right factor those of its transpose. Every lane of the wave makes the same calls with the same tile, which lies in
// shared memory: element [i][j] at tile[i * stride + j], tile 16 bytes aligned, stride a multiple of 8.
//
//   LeftFragment<T> load_left(const T* tile, int stride)                a 16 x 16 left factor
//   RightFragment<T> load_right(const T* tile, int stride)              a right factor
//   RightFragment<T> load_right_transposed(const T* tile, int stride)   one that is the tile's transpose
//   void multiply_add(MatrixProduct& to, const LeftFragment<T>&, const RightFragment<T>&)   to += left * right
//   uint32_t pair_of<T>(float low, float high)                          both rounded to T
#pragma once

#include "device/gpu/portability.h"

namespace aaco::gpu {

inline constexpr int kMatrixSide = 16;
inline constexpr int kRowsOfLane = kWaveLanes == 32 ? 2 : 1;
inline constexpr int kColumnsOfLane = 4;

AACO_DEVICE int row_of_lane(int r) { return kWaveLanes == 32 ? lane() / 4 + 8 * r : lane() % kMatrixSide; }
AACO_DEVICE int column_of_lane(int c) {
  return kWaveLanes == 32 ? c / 2 * 8 + lane() % 4 * 2 + c % 2 : lane() / kMatrixSide * 4 + c;
}

struct MatrixProduct {
  float values[kRowsOfLane][kColumnsOfLane];

  AACO_DEVICE void clear() {
    AACO_UNROLL
    for (int r = 0; r < kRowsOfLane; ++r) {
      AACO_UNROLL
      for (int c = 0; c < kColumnsOfLane; ++c) {
        values[r][c] = 0;
      }
    }
  }
};

// Two elements a word. Element pair (c, c + 1) of row r is word c / 2 * kRowsOfLane + r of a left fragment, and word
// r * 2 + c / 2 of a right one.
template <class T>
struct LeftFragment {
  uint32_t words[2 * kRowsOfLane];
};
template <class T>
struct RightFragment {
  uint32_t words[2 * kRowsOfLane];
};

}  // namespace aaco::gpu

#if defined(AACO_LOCKSTEP)
#include "device/gpu/lockstep/matrix_unit.h"
#elif defined(__HIP__)
#include "device/gpu/hip/matrix_unit.h"
#else
#include "device/gpu/cuda/matrix_unit.h"
#endif

namespace aaco::gpu {

// Rounded to T.
template <class T>
AACO_DEVICE LeftFragment<T> left_of(const MatrixProduct& product) {
  LeftFragment<T> left;
  AACO_UNROLL
  for (int r = 0; r < kRowsOfLane; ++r) {
    AACO_UNROLL
    for (int c = 0; c < kColumnsOfLane; c += 2) {
      left.words[c / 2 * kRowsOfLane + r] = pair_of<T>(product.values[r][c], product.values[r][c + 1]);
    }
  }
  return left;
}

// To a tile of shared memory, rounded to T.
template <class T>
AACO_DEVICE void put_product(const MatrixProduct& product, T* tile, int stride) {
  AACO_UNROLL
  for (int r = 0; r < kRowsOfLane; ++r) {
    AACO_UNROLL
    for (int c = 0; c < kColumnsOfLane; c += 2) {
      const uint32_t pair = pair_of<T>(product.values[r][c], product.values[r][c + 1]);
      void* const to = tile + row_of_lane(r) * stride + column_of_lane(c);
      __builtin_memcpy(__builtin_assume_aligned(to, sizeof(pair)), &pair, sizeof(pair));
    }
  }
}

// Over the four lanes that share their rows; every one gets the result.
AACO_DEVICE float row_max(float value) {
  constexpr int kFirst = kWaveLanes == 32 ? 1 : kMatrixSide;
  AACO_UNROLL
  for (int mask = kFirst; mask <= 2 * kFirst; mask *= 2) {
    const float other = shuffle_xor(value, mask);
    value = other > value ? other : value;
  }
  return value;
}

AACO_DEVICE float row_sum(float value) {
  constexpr int kFirst = kWaveLanes == 32 ? 1 : kMatrixSide;
  AACO_UNROLL
  for (int mask = kFirst; mask <= 2 * kFirst; mask *= 2) {
    value += shuffle_xor(value, mask);
  }
  return value;
}

}  // namespace aaco::gpu
