// SPDX-License-Identifier: MIT
// For kernels that go along rows: a row belongs to a group of threads, 32 neighbouring lanes (narrow) or a whole block
// (wide), whatever the wave size. A row that is short enough is held in the group's registers and read once. Wide rows
// are held in packs only: with addresses of single elements a thread would need more registers than it can have.
#pragma once

#include "device/kernels/launch_bounds.h"
#include "device/kernels/packed_access.h"

namespace aaco::gpu {

inline constexpr int kNarrowLanes = 32;
inline constexpr int kNarrowSlots = 32;  // elements that a thread holds of a narrow row
inline constexpr int kWideSlots = 16;
inline constexpr int kMostThreads = 512;  // so that a thread may use 128 registers
inline constexpr int64_t kNarrowColumns = int64_t{kNarrowLanes} * kNarrowSlots;
inline constexpr int64_t kHeldColumns = int64_t{kMostThreads} * kWideSlots;

template <bool kWide>
inline constexpr int kSlots = kWide ? kWideSlots : kNarrowSlots;

// Of the blocks that the launches below make.
template <bool kWide>
inline constexpr int kRowThreads = kWide ? kMostThreads : static_cast<int>(kElementBlock);

template <bool kWide>
AACO_DEVICE int group_size() {
  return kWide ? static_cast<int>(block_size()) : kNarrowLanes;
}

template <bool kWide>
AACO_DEVICE int rank_in_group() {
  return static_cast<int>(kWide ? thread_x() : thread_x() % kNarrowLanes);
}

struct Sum {
  static constexpr float kStart = 0;
  template <class T>
  AACO_DEVICE static T join(T a, T b) {
    return a + b;
  }
};

struct Largest {  // NaN where any is
  static constexpr float kStart = -__builtin_huge_valf();
  template <class T>
  AACO_DEVICE static T join(T a, T b) {
    return a > b || a != a ? a : b;
  }
};

// Over the group; every thread gets the result, and all must call. `scratch`: shared memory of 32 T, free again after.
template <class Join, bool kWide, class T>
AACO_DEVICE T joined(T value, T* scratch) {
  for (int mask = kNarrowLanes / 2; mask > 0; mask /= 2) {
    value = Join::join(value, shuffle_xor(value, mask));
  }
  if constexpr (kWide) {
    if (thread_x() % kNarrowLanes == 0) {
      scratch[thread_x() / kNarrowLanes] = value;
    }
    sync_block();
    value = scratch[0];
    for (uint32_t i = 1; i < block_size() / kNarrowLanes; ++i) {
      value = Join::join(value, scratch[i]);
    }
    sync_block();
  }
  return value;
}

// body(row, cols) for the rows of this thread's group. All threads of a block make the same calls, so that all meet at
// the shuffles and barriers; a group whose row is beyond the last gets cols 0.
template <bool kWide, class Body>
AACO_DEVICE void for_rows(int64_t rows, int64_t cols, Body&& body) {
  const int64_t groups = kWide ? 1 : block_size() / kNarrowLanes;
  const int64_t group = kWide ? 0 : thread_x() / kNarrowLanes;
  for (int64_t first = block_x() * groups; first < rows; first += grid_x() * groups) {
    const int64_t row = first + group;
    body(row, row < rows ? cols : 0);
  }
}

// body(slot, column) for each pack of this thread's elements of a held row.
template <int kPack, bool kWide, class Body>
AACO_DEVICE void for_slots(int64_t cols, Body&& body) {
  AACO_UNROLL
  for (int slot = 0; slot < kSlots<kWide>; slot += kPack) {
    const int column = slot * group_size<kWide>() + rank_in_group<kWide>() * kPack;
    if (column < cols) {
      body(slot, column);
    }
  }
}

// body(column) for each pack of this thread's elements of a row of any length.
template <int kPack, bool kWide, class Body>
AACO_DEVICE void for_columns(int64_t cols, Body&& body) {
  const int64_t step = static_cast<int64_t>(group_size<kWide>()) * kPack;
  for (int64_t column = static_cast<int64_t>(rank_in_group<kWide>()) * kPack; column < cols; column += step) {
    body(column);
  }
}

// Host: how rows of `cols` are worked on.
struct RowLaunch {
  Dim3 grid;
  uint32_t block = 0;
};

inline RowLaunch narrow_launch(int64_t rows) {
  constexpr int64_t kRowsPerBlock = kElementBlock / kNarrowLanes;
  constexpr int64_t kMostBlocks = 1 << 16;
  const int64_t blocks = (rows + kRowsPerBlock - 1) / kRowsPerBlock;
  return {{static_cast<uint32_t>(blocks < kMostBlocks ? blocks : kMostBlocks), 1, 1}, kElementBlock};
}

// As many threads as hold the row, in whole waves of any size.
inline RowLaunch wide_launch(int64_t rows, int64_t cols) {
  constexpr int64_t kMostBlocks = 1 << 16;
  constexpr int64_t kLargestWave = 64;
  const int64_t threads = (cols + kWideSlots * kLargestWave - 1) / (kWideSlots * kLargestWave) * kLargestWave;
  return {{static_cast<uint32_t>(rows < kMostBlocks ? rows : kMostBlocks), 1, 1},
          static_cast<uint32_t>(threads < kMostThreads ? threads : kMostThreads)};
}

}  // namespace aaco::gpu
