// SPDX-License-Identifier: MIT
// For kernels that go along columns: a block of kElementBlock threads takes a tile of 32 packs of columns, eight rows
// at a time, and joins the eight at the end. Blocks side by side in the grid's y share a tile's rows.
#pragma once

#include "device/kernels/packed_access.h"
#include "device/kernels/row_group.h"

namespace aaco::gpu {

inline constexpr int kTilePacks = 32;
inline constexpr int kTileRows = static_cast<int>(kElementBlock) / kTilePacks;

struct TileRange {
  int64_t column = 0;  // of this thread's pack
  int64_t row = 0;     // of this thread, the next is kTileRows further
  int64_t end = 0;
};

template <int kPack>
AACO_DEVICE TileRange tile_range(int64_t rows, int64_t splits) {
  const int64_t first = rows * block_y() / splits;
  const int64_t end = rows * (block_y() + int64_t{1}) / splits;
  return {(static_cast<int64_t>(block_x()) * kTilePacks + thread_x() % kTilePacks) * kPack,
          first + thread_x() / kTilePacks, end};
}

// Shared memory of a tile: as a kernel declares it.
template <int kPack>
inline constexpr int kTileScratch = kTileRows * kTilePacks * kPack;

// Joins the threads' `values` of the tile's columns; emit(column, value) once for each column below `cols`. All threads
// must call.
template <class Join, int kPack, class Emit>
AACO_DEVICE void join_tile(const float* values, int64_t cols, float* scratch, Emit&& emit) {
  constexpr int kColumns = kTilePacks * kPack;
  const int own =
      static_cast<int>(thread_x() / kTilePacks) * kColumns + static_cast<int>(thread_x() % kTilePacks) * kPack;
  AACO_UNROLL
  for (int j = 0; j < kPack; ++j) {
    scratch[own + j] = values[j];
  }
  sync_block();
  for (int c = static_cast<int>(thread_x()); c < kColumns; c += static_cast<int>(kElementBlock)) {
    const int64_t column = static_cast<int64_t>(block_x()) * kColumns + c;
    if (column < cols) {
      float value = scratch[c];
      for (int r = 1; r < kTileRows; ++r) {
        value = Join::join(value, scratch[r * kColumns + c]);
      }
      emit(column, value);
    }
  }
  sync_block();
}

// Host.
inline Dim3 tile_grid(int64_t cols, int pack, int64_t splits) {
  const int64_t columns = static_cast<int64_t>(kTilePacks) * pack;
  return {static_cast<uint32_t>((cols + columns - 1) / columns), static_cast<uint32_t>(splits), 1};
}

}  // namespace aaco::gpu
