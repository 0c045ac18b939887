// SPDX-License-Identifier: MIT
// For the attention kernels on matrix units: tiles of rows in shared memory and their products. A block has a tile of
// rows of its own, 16 of them to a wave, and goes through the rows of others in tiles of kOther. The rows of a tile lie
// kDim + 8 elements apart, so that what is read together, 16 bytes of each of eight rows, meets different banks.
#pragma once

#include "device/gpu/matrix_unit.h"
#include "device/kernels/attention/attention_tile.h"

namespace aaco::gpu {

template <int kDimValue, int kWavesValue, int kOtherValue>
struct MatrixTile {
  static constexpr int kDim = kDimValue;
  static constexpr int kWaves = kWavesValue;
  static constexpr int kOwn = kWaves * kMatrixSide;
  static constexpr int kOther = kOtherValue;
  static constexpr int kStride = kDim + 8;
  static constexpr int kSteps = kDim / kMatrixSide;
  static constexpr int kOthers = kOther / kMatrixSide;

  // The first of the wave's own rows in the block's.
  static AACO_DEVICE int own_row() { return wave() * kMatrixSide; }
};

inline constexpr int kRowPack = 8;  // elements in 16 bytes

template <class T>
AACO_DEVICE bool allows_packs(const HeadRows<T>& rows) {
  const auto bytes = reinterpret_cast<uintptr_t>(rows.data) | static_cast<uintptr_t>(rows.stride) * sizeof(T) |
                     static_cast<uintptr_t>(rows.dim) * sizeof(T);
  return bytes % 16 == 0;
}

// Rows [first, first + kRows) to a tile, by all threads of the block; zeros beyond the rows and columns that there are.
// There after wait_for_copies() and a barrier.
template <class Tile, int kRows, class T>
AACO_DEVICE void copy_rows(const HeadRows<const T>& rows, int32_t first, T* tile) {
  constexpr int kPacks = Tile::kDim / kRowPack;
  const bool packed = allows_packs(rows);
  for (int i = static_cast<int>(thread_x()); i < kRows * kPacks; i += Tile::kWaves * kWaveLanes) {
    const int32_t row = first + i / kPacks;
    const int32_t d = i % kPacks * kRowPack;
    T* const to = tile + i / kPacks * Tile::kStride + d;
    const T* const from = rows.data + row * rows.stride + d;
    if (packed) {
      const bool exists = row < rows.count && d < rows.dim;
      copy_async<16>(to, exists ? from : rows.data, exists);
    } else {
      for (int j = 0; j < kRowPack; ++j) {
        to[j] = row < rows.count && d + j < rows.dim ? from[j] : T{};
      }
    }
  }
}

// Columns [first_column, first_column + kColumns) of the wave's own rows, which it has put to its part of the tile, to
// the rows from `first`.
template <class Tile, int kColumns, class T>
AACO_DEVICE void store_own_rows(const T* tile, int32_t first_column, const HeadRows<T>& rows, int32_t first) {
  constexpr int kPacks = kColumns / kRowPack;
  const bool packed = allows_packs(rows);
  sync_wave();
  for (int i = lane(); i < kMatrixSide * kPacks; i += kWaveLanes) {
    const int row = Tile::own_row() + i / kPacks;
    const int32_t d = first_column + i % kPacks * kRowPack;
    const T* const from = tile + row * Tile::kStride + d;
    T* const to = rows.data + (first + row) * rows.stride + d;
    if (first + row < rows.count && packed && d < rows.dim) {
      *reinterpret_cast<Pack<T, kRowPack>*>(to) = *reinterpret_cast<const Pack<T, kRowPack>*>(from);
    } else if (first + row < rows.count && !packed) {
      for (int j = 0; j < kRowPack && d + j < rows.dim; ++j) {
        to[j] = from[j];
      }
    }
  }
}

// The wave's own rows as left factors: held in registers, or read from the tile each time.
template <class T, class Tile, bool kHeld>
struct OwnRows {
  const T* rows;
  LeftFragment<T> held[kHeld ? Tile::kSteps : 1];

  AACO_DEVICE explicit OwnRows(const T* tile) : rows(tile + Tile::own_row() * Tile::kStride) {}

  // When the tile is there.
  AACO_DEVICE void hold() {
    if constexpr (kHeld) {
      AACO_UNROLL
      for (int step = 0; step < Tile::kSteps; ++step) {
        held[step] = load_left(rows + step * kMatrixSide, Tile::kStride);
      }
    }
  }

  AACO_DEVICE LeftFragment<T> columns_of(int step) const {
    if constexpr (kHeld) {
      return held[step];
    } else {
      return load_left(rows + step * kMatrixSide, Tile::kStride);
    }
  }
};

// products[n] = own rows times the transpose of 16 rows of `other`, from row 16 n.
template <class T, class Tile, bool kHeld, int kCount>
AACO_DEVICE void multiply_own(const OwnRows<T, Tile, kHeld>& own, const T* other, MatrixProduct (&products)[kCount]) {
  AACO_UNROLL
  for (MatrixProduct& product : products) {
    product.clear();
  }
  AACO_UNROLL
  for (int step = 0; step < Tile::kSteps; ++step) {
    const LeftFragment<T> left = own.columns_of(step);
    AACO_UNROLL
    for (int n = 0; n < kCount; ++n) {
      const T* const rows = other + n * kMatrixSide * Tile::kStride + step * kMatrixSide;
      multiply_add(products[n], left, load_right_transposed(rows, Tile::kStride));
    }
  }
}

// sums += weights times 16 rows of `other`, from the column where it points.
template <class Tile, class T, int kCount>
AACO_DEVICE void add_weighted(const LeftFragment<T>& weights, const T* other, MatrixProduct (&sums)[kCount]) {
  AACO_UNROLL
  for (int n = 0; n < kCount; ++n) {
    multiply_add(sums[n], weights, load_right(other + n * kMatrixSide, Tile::kStride));
  }
}

}  // namespace aaco::gpu
