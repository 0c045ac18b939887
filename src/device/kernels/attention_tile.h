// SPDX-License-Identifier: MIT
// For the attention kernels: tiles of rows in shared memory and their products. A block of kSide x kSide threads has a
// tile of kOwn rows and goes through the rows of others in tiles of kOther. All is fp32; the rows of a tile lie
// kDim + 4 floats apart, so that neighbouring threads that read packs of neighbouring rows meet different banks.
#pragma once

#include <cmath>
#include <limits>

#include "device/kernels/attention.h"
#include "device/kernels/packed_access.h"

namespace aaco::gpu {

inline constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();
inline constexpr float kLog2E = 1.44269504F;
inline constexpr float kLn2 = 0.69314718F;

template <int kDimValue, int kOwnValue, int kOtherValue, int kSideValue>
struct AttentionTile {
  static constexpr int kDim = kDimValue;
  static constexpr int kOwn = kOwnValue;
  static constexpr int kOther = kOtherValue;
  static constexpr int kSide = kSideValue;
  static constexpr int kThreads = kSide * kSide;
  static constexpr int kStride = kDim + 4;
  static constexpr int kPairStride = kOther + 4;  // of the tile of a number per pair of rows
  // Of one thread: rows own_row(i), rows other_row(j), columns column(c).
  static constexpr int kOwnPer = kOwn / kSide;
  static constexpr int kOtherPer = kOther / kSide;
  static constexpr int kDimPer = kDim / kSide;

  static AACO_DEVICE int own_row(int i) { return i * kSide + static_cast<int>(thread_x()) / kSide; }
  static AACO_DEVICE int other_row(int j) { return j * kSide + static_cast<int>(thread_x()) % kSide; }
  static AACO_DEVICE int column(int c) {
    return c / 4 * (4 * kSide) + static_cast<int>(thread_x()) % kSide * 4 + c % 4;
  }
};

// The rows of one batch and head.
template <class T>
struct HeadRows {
  T* data;
  int64_t stride;
  int32_t count;
  int32_t dim;
};

template <class T>
AACO_DEVICE HeadRows<const T> head_rows(const void* data, const AttentionLayout& layout, int64_t batch, int64_t head,
                                        int32_t count, int32_t dim) {
  return {static_cast<const T*>(data) + batch * layout.batch + head * layout.head, layout.row, count, dim};
}

template <class T>
AACO_DEVICE HeadRows<T> head_rows(void* data, const AttentionLayout& layout, int64_t batch, int64_t head, int32_t count,
                                  int32_t dim) {
  return {static_cast<T*>(data) + batch * layout.batch + head * layout.head, layout.row, count, dim};
}

// A tile on its way from memory: what each thread brings. Beyond the rows and columns that there are: 0.
template <class Tile, int kRows>
struct TileLoad {
  static constexpr int kCount = kRows * Tile::kDim / Tile::kThreads;
  float values[kCount];

  template <class T>
  AACO_DEVICE void fetch(const HeadRows<const T>& rows, int32_t first) {
    AACO_UNROLL
    for (int i = 0; i < kCount; ++i) {
      const int element = i * Tile::kThreads + static_cast<int>(thread_x());
      const int32_t row = first + element / Tile::kDim;
      const int32_t d = element % Tile::kDim;
      values[i] = row < rows.count && d < rows.dim ? load(rows.data, row * rows.stride + d) : 0;
    }
  }

  AACO_DEVICE void put(float* tile) const {
    AACO_UNROLL
    for (int i = 0; i < kCount; ++i) {
      const int element = i * Tile::kThreads + static_cast<int>(thread_x());
      tile[element / Tile::kDim * Tile::kStride + element % Tile::kDim] = values[i];
    }
  }
};

template <class Tile, int kRows, class T>
AACO_DEVICE void load_tile(const HeadRows<const T>& rows, int32_t first, float* tile) {
  TileLoad<Tile, kRows> rows_of_tile;
  rows_of_tile.fetch(rows, first);
  rows_of_tile.put(tile);
}

AACO_DEVICE Pack<float, 4> four_at(const float* data, int i) {
  return *reinterpret_cast<const Pack<float, 4>*>(data + i);
}

// products[i][j] = the scalar product of own row i and other row j.
template <class Tile>
AACO_DEVICE void multiply_rows(const float* own, const float* other, int32_t dim,
                               float (&products)[Tile::kOwnPer][Tile::kOtherPer]) {
  AACO_UNROLL
  for (int i = 0; i < Tile::kOwnPer; ++i) {
    AACO_UNROLL
    for (int j = 0; j < Tile::kOtherPer; ++j) {
      products[i][j] = 0;
    }
  }
  for (int d = 0; d < dim; d += 4) {
    Pack<float, 4> left[Tile::kOwnPer];
    AACO_UNROLL
    for (int i = 0; i < Tile::kOwnPer; ++i) {
      left[i] = four_at(own, Tile::own_row(i) * Tile::kStride + d);
    }
    AACO_UNROLL
    for (int j = 0; j < Tile::kOtherPer; ++j) {
      const Pack<float, 4> right = four_at(other, Tile::other_row(j) * Tile::kStride + d);
      AACO_UNROLL
      for (int i = 0; i < Tile::kOwnPer; ++i) {
        AACO_UNROLL
        for (int e = 0; e < 4; ++e) {
          products[i][j] += left[i].values[e] * right.values[e];
        }
      }
    }
  }
}

// sums[i][c] += the sum over other rows j of weights[own row i][j] * other[j][column c].
template <class Tile>
AACO_DEVICE void add_weighted_rows(const float* weights, const float* other,
                                   float (&sums)[Tile::kOwnPer][Tile::kDimPer]) {
  for (int j0 = 0; j0 < Tile::kOther; j0 += 4) {
    Pack<float, 4> weight[Tile::kOwnPer];
    AACO_UNROLL
    for (int i = 0; i < Tile::kOwnPer; ++i) {
      weight[i] = four_at(weights, Tile::own_row(i) * Tile::kPairStride + j0);
    }
    AACO_UNROLL
    for (int j = 0; j < 4; ++j) {
      AACO_UNROLL
      for (int c = 0; c < Tile::kDimPer; c += 4) {
        const Pack<float, 4> values = four_at(other, (j0 + j) * Tile::kStride + Tile::column(c));
        AACO_UNROLL
        for (int i = 0; i < Tile::kOwnPer; ++i) {
          AACO_UNROLL
          for (int e = 0; e < 4; ++e) {
            sums[i][c + e] += weight[i].values[j] * values.values[e];
          }
        }
      }
    }
  }
}

template <class Tile>
AACO_DEVICE void put_pairs(const float (&values)[Tile::kOwnPer][Tile::kOtherPer], float* pairs) {
  AACO_UNROLL
  for (int i = 0; i < Tile::kOwnPer; ++i) {
    AACO_UNROLL
    for (int j = 0; j < Tile::kOtherPer; ++j) {
      pairs[Tile::own_row(i) * Tile::kPairStride + Tile::other_row(j)] = values[i][j];
    }
  }
}

template <class Tile, class T>
AACO_DEVICE void store_rows(const float (&sums)[Tile::kOwnPer][Tile::kDimPer], const HeadRows<T>& rows, int32_t first) {
  AACO_UNROLL
  for (int i = 0; i < Tile::kOwnPer; ++i) {
    const int32_t row = first + Tile::own_row(i);
    AACO_UNROLL
    for (int c = 0; c < Tile::kDimPer; ++c) {
      if (row < rows.count && Tile::column(c) < rows.dim) {
        store(rows.data, row * rows.stride + Tile::column(c), sums[i][c]);
      }
    }
  }
}

// Over the threads that share the own rows; every one gets the result.
template <class Tile>
AACO_DEVICE float side_max(float value) {
  AACO_UNROLL
  for (int mask = Tile::kSide / 2; mask > 0; mask /= 2) {
    const float other = shuffle_xor(value, mask);
    value = other > value ? other : value;
  }
  return value;
}

template <class Tile>
AACO_DEVICE float side_sum(float value) {
  AACO_UNROLL
  for (int mask = Tile::kSide / 2; mask > 0; mask /= 2) {
    value += shuffle_xor(value, mask);
  }
  return value;
}

// How many keys, from the first, a query row sees; less than one: none.
AACO_DEVICE int32_t keys_seen(const AttentionArgs& args, int32_t row) {
  const int32_t seen = row + 1 + args.kv_len - args.q_len;
  return args.causal != 0 && seen < args.kv_len ? seen : args.kv_len;
}

}  // namespace aaco::gpu
