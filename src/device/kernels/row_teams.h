// SPDX-License-Identifier: MIT
// For kernels over many rows of any length: each row is gone through by a team of threads, a power of two of them.
#pragma once

#include "device/kernels/packed_access.h"

namespace aaco::gpu {

struct RowTeams {
  uint32_t team = 1;
  Dim3 grid;
};

// Host: `items` is what a thread does at a time, per row. Rows and items above 0.
inline RowTeams row_teams(int64_t rows, int64_t items) {
  RowTeams result;
  while (result.team < kElementBlock && result.team < items) {
    result.team *= 2;
  }
  result.grid = grid_for(rows * result.team);
  return result;
}

// body(row, item) for every item of every row, each by one thread of the grid.
template <class Body>
AACO_DEVICE void for_row_items(uint32_t team, int64_t rows, int64_t items, Body&& body) {
  const uint32_t teams = block_size() / team;
  const uint32_t place = thread_x() & (team - 1);
  const int64_t stride = static_cast<int64_t>(grid_x()) * teams;
  for (int64_t row = static_cast<int64_t>(block_x()) * teams + thread_x() / team; row < rows; row += stride) {
    for (int64_t item = place; item < items; item += team) {
      body(row, item);
    }
  }
}

}  // namespace aaco::gpu
