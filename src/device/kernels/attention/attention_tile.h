// SPDX-License-Identifier: MIT
// For the attention kernels: tiles of rows in shared memory and their products. A block of kOwnSide x kOtherSide
// threads has a tile of kOwn rows and goes through the rows of others in tiles of kOther. All is fp32; the rows of a
// tile lie kDim + 4 floats apart, so that neighbouring threads that read packs of neighbouring rows meet different
// banks.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "device/kernels/packed_access.h"
#include "device/ops/attention.h"

namespace aaco::gpu {

inline constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();
inline constexpr float kLog2E = 1.44269504F;
inline constexpr float kLn2 = 0.69314718F;

template <int kDimValue, int kOwnValue, int kOtherValue, int kOwnSideValue, int kOtherSideValue>
struct AttentionTile {
  static constexpr int kDim = kDimValue;
  static constexpr int kOwn = kOwnValue;
  static constexpr int kOther = kOtherValue;
  static constexpr int kOwnSide = kOwnSideValue;
  static constexpr int kOtherSide = kOtherSideValue;
  static constexpr int kThreads = kOwnSide * kOtherSide;
  static constexpr int kStride = kDim + 4;
  static constexpr int kPairStride = kOther + 4;  // of the tile of a number per pair of rows
  // Of one thread: rows own_row(i), rows other_row(j), columns column(c).
  static constexpr int kOwnPer = kOwn / kOwnSide;
  static constexpr int kOtherPer = kOther / kOtherSide;
  static constexpr int kDimPer = kDim / kOtherSide;

  // Neighbours have the same other rows, and lanes two apart the same own ones: NVIDIA's shared memory then serves a
  // pack for half a wave at once, else for a quarter.
  static AACO_DEVICE int own_place() {
    const auto thread = static_cast<int>(thread_x());
    return thread / (2 * kOtherSide) * 2 + thread % 2;
  }
  static AACO_DEVICE int other_place() { return static_cast<int>(thread_x()) / 2 % kOtherSide; }
  static AACO_DEVICE int own_row(int i) { return i * kOwnSide + own_place(); }
  static AACO_DEVICE int other_row(int j) { return j * kOtherSide + other_place(); }
  static AACO_DEVICE int column(int c) { return c / 4 * (4 * kOtherSide) + other_place() * 4 + c % 4; }
};

// The rows of one batch and head.
template <class T>
struct HeadRows {
  T* data;
  int64_t stride;
  int32_t count;
  int32_t dim;
  bool packed;  // four columns, from a multiple of four on, may be read at once
};

template <class T>
AACO_DEVICE HeadRows<T> head_rows(T* data, const AttentionLayout& layout, int64_t batch, int64_t head, int32_t count,
                                  int32_t dim) {
  T* const first = data + batch * layout.batch + head * layout.head;
  const bool packed =
      layout.row % 4 == 0 && dim % 4 == 0 && reinterpret_cast<uintptr_t>(first) % alignof(Pack<T, 4>) == 0;
  return {first, layout.row, count, dim, packed};
}

template <class T>
AACO_DEVICE HeadRows<const T> head_rows(const void* data, const AttentionLayout& layout, int64_t batch, int64_t head,
                                        int32_t count, int32_t dim) {
  return head_rows(static_cast<const T*>(data), layout, batch, head, count, dim);
}

template <class T>
AACO_DEVICE HeadRows<T> head_rows(void* data, const AttentionLayout& layout, int64_t batch, int64_t head, int32_t count,
                                  int32_t dim) {
  return head_rows(static_cast<T*>(data), layout, batch, head, count, dim);
}

// A tile on its way from memory: what each thread brings. Beyond the rows and columns that there are: 0.
template <class Tile, int kRows>
struct TileLoad {
  static constexpr int kPacksOfRow = Tile::kDim / 4;
  static constexpr int kRowsAtOnce = Tile::kThreads / kPacksOfRow;
  static constexpr int kCount = kRows / kRowsAtOnce;
  Pack<float, 4> packs[kCount];

  static AACO_DEVICE int row() { return static_cast<int>(thread_x()) / kPacksOfRow; }
  static AACO_DEVICE int column() { return static_cast<int>(thread_x()) % kPacksOfRow * 4; }

  template <class T>
  AACO_DEVICE void fetch(const HeadRows<const T>& rows, int32_t first) {
    const T* const from = rows.data + (first + row()) * rows.stride + column();
    if (rows.packed && first + kRows <= rows.count && Tile::kDim <= rows.dim) {
      AACO_UNROLL
      for (int i = 0; i < kCount; ++i) {
        load_pack<4>(from, i * kRowsAtOnce * rows.stride, packs[i].values);
      }
      return;
    }
    AACO_UNROLL
    for (int i = 0; i < kCount; ++i) {
      AACO_UNROLL
      for (int e = 0; e < 4; ++e) {
        const bool exists = first + row() + i * kRowsAtOnce < rows.count && column() + e < rows.dim;
        packs[i].values[e] = exists ? load(from, i * kRowsAtOnce * rows.stride + e) : 0;
      }
    }
  }

  AACO_DEVICE void scale(float factor) {
    AACO_UNROLL
    for (int i = 0; i < kCount; ++i) {
      for (float& value : packs[i].values) {
        value *= factor;
      }
    }
  }

  AACO_DEVICE void put(float* tile) const {
    AACO_UNROLL
    for (int i = 0; i < kCount; ++i) {
      *reinterpret_cast<Pack<float, 4>*>(tile + (row() + i * kRowsAtOnce) * Tile::kStride + column()) = packs[i];
    }
  }
};

template <class Tile, int kRows, class T>
AACO_DEVICE void load_tile(const HeadRows<const T>& rows, int32_t first, float* tile) {
  TileLoad<Tile, kRows> rows_of_tile;
  rows_of_tile.fetch(rows, first);
  rows_of_tile.put(tile);
}

// Rows [first, first + kRows), kColumns of each, to a tile whose rows lie kStride apart; zeros beyond the rows and
// columns that there are. There after wait_for_copies() and a barrier.
template <int kThreads, int kRows, int kColumns, int kStride, class T>
AACO_DEVICE void bring_tile(const HeadRows<const T>& rows, int32_t first, float* tile) {
  constexpr int kPacksOfRow = kColumns / 4;
  constexpr int kRowsAtOnce = kThreads / kPacksOfRow;
  static_assert(kThreads % kPacksOfRow == 0 && kRows % kRowsAtOnce == 0);
  const int row = static_cast<int>(thread_x()) / kPacksOfRow;
  const int column = static_cast<int>(thread_x()) % kPacksOfRow * 4;
  const T* from = rows.data + (first + row) * rows.stride + column;
  const int place = row * kStride + column;
  float* const to = tile + place;
  const int32_t left = rows.count - first - row;
  if constexpr (std::is_same_v<T, float>) {
    if (rows.packed) {
      const int32_t exist = column < rows.dim ? left : 0;
      AACO_UNROLL
      for (int i = 0, at = 0; i < kRows; i += kRowsAtOnce, at += kRowsAtOnce * kStride) {
        copy_async<16>(to + at, from, i < exist);
        from += kRowsAtOnce * rows.stride;
      }
      return;
    }
  }
  for (int i = 0; i < kRows; i += kRowsAtOnce) {
    for (int e = 0; e < 4; ++e) {
      to[i * kStride + e] = i < left && column + e < rows.dim ? load(from, e) : 0;
    }
    from += kRowsAtOnce * rows.stride;
  }
}

AACO_DEVICE Pack<float, 4> four_at(const float* data, int i) {
  return *reinterpret_cast<const Pack<float, 4>*>(data + i);
}

// products[i][j] += the scalar product of own row i and other row j.
template <class Tile>
AACO_DEVICE void add_row_products(const float* own, const float* other, int32_t dim,
                                  float (&products)[Tile::kOwnPer][Tile::kOtherPer]) {
  AACO_UNROLL_BY_4
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

// products[i][j] = that product.
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
  add_row_products<Tile>(own, other, dim, products);
}

// sums[i][c] += the sum over other rows j of weights[own row i][j] * other[j][column c].
template <class Tile>
AACO_DEVICE void add_weighted_rows(const float* weights, const float* other,
                                   float (&sums)[Tile::kOwnPer][Tile::kDimPer]) {
  AACO_UNROLL_BY_4
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
  for (int mask = Tile::kOtherSide; mask > 1; mask /= 2) {
    const float other = shuffle_xor(value, mask);
    value = other > value ? other : value;
  }
  return value;
}

template <class Tile>
AACO_DEVICE float side_sum(float value) {
  AACO_UNROLL
  for (int mask = Tile::kOtherSide; mask > 1; mask /= 2) {
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
