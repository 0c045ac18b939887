// SPDX-License-Identifier: MIT
// For attention by warpgroups: tiles of 64 rows of a head in shared memory (device/gpu/cuda/warpgroup.h), and the
// products of two of them.
#pragma once

#include "device/gpu/cuda/warpgroup.h"
#include "device/kernels/attention/attention_matrix_tile.h"
#include "device/kernels/host_and_device.h"

namespace aaco::gpu {

template <int kDim>
inline constexpr int kTileElements = kSlabRows * kDim;

// Of a tile's own rows, that of values[n][2 r + c] of this thread; and its column.
AACO_DEVICE int row_of_thread(int r) { return wave() * 16 + lane() / 4 + 8 * r; }
AACO_DEVICE int column_of_thread(int n, int c) { return 8 * n + lane() % 4 * 2 + c; }

AACO_HOST_AND_DEVICE constexpr uint32_t tiles_of(int32_t rows) {
  return static_cast<uint32_t>((rows + kSlabRows - 1) / kSlabRows);
}

// What a block of a one-dimensional grid has to do: the same tile of all heads, then the next tile, so that what takes
// longest may come first.
struct TilePlace {
  int32_t tile;
  int32_t head;
  int32_t batch;

  AACO_DEVICE TilePlace(uint32_t place, int32_t heads, int32_t batches) {
    const auto at = static_cast<int32_t>(place);
    tile = at / (heads * batches);
    head = at % (heads * batches) % heads;
    batch = at % (heads * batches) / heads;
  }
};

// The first row of a tile, counted from the last: with causal attention that sees most.
AACO_DEVICE int32_t last_tiles_first(int32_t tile, int32_t rows) {
  return (static_cast<int32_t>(tiles_of(rows)) - 1 - tile) * kSlabRows;
}

// Rows [first, first + 64) to a tile, by the warpgroup; zeros beyond the rows that there are.
template <int kDim, class T>
AACO_DEVICE void copy_tile(const HeadRows<const T>& rows, int32_t first, T* tile) {
  constexpr int kUnits = kDim / kRowPack;
  constexpr int kRowsAtOnce = kWarpgroup / kUnits;
  const int unit = static_cast<int>(thread_x()) % kUnits;
  const int own = static_cast<int>(thread_x()) / kUnits;
  T* const slab = tile + unit / 8 * kSlabRows * kSlabColumns;
  AACO_UNROLL
  for (int i = 0; i < kSlabRows / kRowsAtOnce; ++i) {
    const int row = own + i * kRowsAtOnce;
    const bool exists = first + row < rows.count;
    T* const to = slab + row * kSlabColumns + ((unit ^ row) & 7) * kRowPack;
    copy_async<16>(to, exists ? rows.data + (first + row) * rows.stride + unit * kRowPack : rows.data, exists);
  }
}

// A product's 64 rows to a tile, rounded; then the tile to rows [first, first + 64), as far as there are such. A warp
// moves its own 16 rows.
template <int kDim, class T>
AACO_DEVICE void store_product(const WarpgroupProduct<kDim>& product, T* tile, const HeadRows<T>& rows, int32_t first) {
  AACO_UNROLL
  for (int n = 0; n < kDim / 8; ++n) {
    AACO_UNROLL
    for (int r = 0; r < 2; ++r) {
      const int row = row_of_thread(r);
      T* const unit = tile + n / 8 * kSlabRows * kSlabColumns + row * kSlabColumns + ((n ^ row) & 7) * kRowPack;
      const uint32_t pair = pair_of<T>(product.values[n][2 * r], product.values[n][2 * r + 1]);
      *reinterpret_cast<uint32_t*>(unit + lane() % 4 * 2) = pair;
    }
  }
  sync_wave();
  constexpr int kUnits = kDim / kRowPack;
  AACO_UNROLL
  for (int i = 0; i < 16 * kUnits / kWaveLanes; ++i) {
    const int at = lane() + i * kWaveLanes;
    const int row = wave() * 16 + at / kUnits;
    const int unit = at % kUnits;
    if (first + row < rows.count) {
      const T* const from =
          tile + unit / 8 * kSlabRows * kSlabColumns + row * kSlabColumns + ((unit ^ row) & 7) * kRowPack;
      *reinterpret_cast<uint4*>(rows.data + (first + row) * rows.stride + unit * kRowPack) =
          *reinterpret_cast<const uint4*>(from);
    }
  }
}

// product = rows of `left` times the transpose of rows of `right`.
template <int kDim, class T>
AACO_DEVICE void multiply_rows(const T* left, const T* right, WarpgroupProduct<kSlabRows>& product) {
  AACO_UNROLL
  for (int step = 0; step < kDim / 16; ++step) {
    multiply_tiles<T>(product, over_columns(left, step), over_columns(right, step), step > 0);
  }
}

// sums += weights, rounded to T, times the rows of `right`.
template <class T, int kDim>
AACO_DEVICE void add_weighted_tile(const uint32_t (&weights)[kSlabRows / 16][4], const T* right,
                                   WarpgroupProduct<kDim>& sums) {
  AACO_UNROLL
  for (int step = 0; step < kSlabRows / 16; ++step) {
    add_words_by_tile<T>(sums, weights[step], over_rows(right, step));
  }
}

template <class T>
AACO_DEVICE void weight_words(const WarpgroupProduct<kSlabRows>& product, uint32_t (&words)[kSlabRows / 16][4]) {
  AACO_UNROLL
  for (int step = 0; step < kSlabRows / 16; ++step) {
    left_words<T>(product, step, words[step]);
  }
}

// The tiles of a block, at the first multiple of kTileAlignment of its shared memory.
template <class T>
AACO_DEVICE T* aligned_tiles(void* memory) {
  const auto address = static_cast<uint32_t>(__cvta_generic_to_shared(memory));
  return reinterpret_cast<T*>(static_cast<char*>(memory) +
                              (kTileAlignment - address % kTileAlignment) % kTileAlignment);
}

inline bool takes_warpgroups(const StreamContext& stream, const AttentionArgs& args) {
  const auto aligned = [](const void* data, const AttentionLayout& layout) {
    return (reinterpret_cast<uintptr_t>(data) | static_cast<uintptr_t>(layout.batch | layout.row | layout.head) * 2) %
               16 ==
           0;
  };
  return stream.limits.warpgroups && args.dtype != Dtype::kF32 && (args.head_dim == 64 || args.head_dim == 128) &&
         aligned(args.q, args.q_layout) && aligned(args.k, args.kv_layout) && aligned(args.v, args.kv_layout) &&
         aligned(args.out, args.out_layout);
}

}  // namespace aaco::gpu
