// SPDX-License-Identifier: MIT
// Products by a warpgroup, four warps of a Hopper device (compute capability 9.0; PTX ISA, "Asynchronous Warpgroup
// Level Matrix Instructions"): wgmma, summed in fp32, factors of fp16 or bf16. Only files built for sm_90a include
// this.
//
// Of a product of 64 rows a thread has, in values[n][2 r + c], row 16 * warp + lane / 4 + 8 r and column 8 n + lane % 4
// * 2 + c. As a left factor in registers it is taken 16 columns at a time (left_words).
//
// A factor in shared memory is a tile of 64 rows, 128 bytes each, one such slab for every 64 columns; the 16-byte units
// of a row lie in an order that its number changes (the 128-byte swizzle), so that columns of units meet all banks.
// Tiles are 1024 bytes aligned.
#pragma once

#include <type_traits>

#include "device/gpu/matrix_unit.h"

namespace aaco::gpu {

inline constexpr int kWarpgroup = 128;   // threads
inline constexpr int kSlabRows = 64;     // of a tile in shared memory
inline constexpr int kSlabColumns = 64;  // 128 bytes
inline constexpr int kSlabBytes = kSlabRows * kSlabColumns * 2;
inline constexpr int kTileAlignment = 1024;

template <int kColumns>
struct WarpgroupProduct {
  float values[kColumns / 8][4];

  AACO_DEVICE void clear() {
    AACO_UNROLL
    for (auto& four : values) {
      AACO_UNROLL
      for (float& value : four) {
        value = 0;
      }
    }
  }
};

// Columns [16 step, 16 step + 16) of a product, rounded to T.
template <class T, int kColumns>
AACO_DEVICE void left_words(const WarpgroupProduct<kColumns>& product, int step, uint32_t (&words)[4]) {
  AACO_UNROLL
  for (int i = 0; i < 4; ++i) {
    const float* const pair = product.values[2 * step + i / 2] + i % 2 * 2;
    words[i] = pair_of<T>(pair[0], pair[1]);
  }
}

// Descriptors of a factor in shared memory. `by_rows`: the product sums over the tile's columns, 16 from `step` on;
// else over its rows, and its columns are the other side of the product.
AACO_DEVICE uint64_t tile_descriptor(const void* tile, uint32_t offset, uint32_t leading_bytes) {
  constexpr uint64_t kSwizzle128 = uint64_t{1} << 62;
  constexpr uint64_t kEightRows = uint64_t{1024 >> 4} << 32;
  const uint32_t address = static_cast<uint32_t>(__cvta_generic_to_shared(tile)) + offset;
  return kSwizzle128 | kEightRows | (uint64_t{leading_bytes >> 4} << 16) | (address >> 4 & 0x3fff);
}
AACO_DEVICE uint64_t over_columns(const void* tile, int step) {
  return tile_descriptor(tile, static_cast<uint32_t>(step / 4 * kSlabBytes + step % 4 * 32), 16);
}
AACO_DEVICE uint64_t over_rows(const void* tile, int step) {
  return tile_descriptor(tile, static_cast<uint32_t>(step * 2048), kSlabBytes);
}

// Before the first product of a batch, and before registers that a product used are written.
AACO_DEVICE void begin_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
AACO_DEVICE void end_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
// Until all but the last kLeft batches are done.
template <int kLeft>
AACO_DEVICE void wait_for_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kLeft) : "memory");
}
// What this thread has written to shared memory, for products behind the next barrier.
AACO_DEVICE void publish_to_products() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

#define AACO_FOUR(n) "+f"(to.values[n][0]), "+f"(to.values[n][1]), "+f"(to.values[n][2]), "+f"(to.values[n][3])
#define AACO_EIGHT_FOURS(n)                                                                               \
  AACO_FOUR(n), AACO_FOUR(n + 1), AACO_FOUR(n + 2), AACO_FOUR(n + 3), AACO_FOUR(n + 4), AACO_FOUR(n + 5), \
      AACO_FOUR(n + 6), AACO_FOUR(n + 7)
#define AACO_32_REGISTERS                                                                                      \
  "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, " \
  "%23, %24, %25, %26, %27, %28, %29, %30, %31}"
#define AACO_64_REGISTERS                                                                                      \
  "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, " \
  "%23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, "  \
  "%44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}"

#define AACO_MULTIPLY_TILES(n, type, registers, first, second, third, ...)                                \
  asm volatile("{.reg .pred adds; setp.ne.b32 adds, %" third ", 0;\n wgmma.mma_async.sync.aligned.m64n" n \
               "k16.f32." type "." type " " registers ", %" first ", %" second ", adds, 1, 1, 0, 0;}\n"   \
               : __VA_ARGS__                                                                              \
               : "l"(left), "l"(right), "r"(adds ? 1 : 0))
#define AACO_MULTIPLY_WORDS(n, type, registers, a, b, c, d, right_place, ...)                                    \
  asm volatile("{.reg .pred adds; setp.eq.b32 adds, 0, 0;\n wgmma.mma_async.sync.aligned.m64n" n "k16.f32." type \
               "." type " " registers ", {%" a ", %" b ", %" c ", %" d "}, %" right_place ", adds, 1, 1, 1;}\n"  \
               : __VA_ARGS__                                                                                     \
               : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "l"(right))

// to = left * right, or added to it: 16 columns of both tiles summed over (over_columns).
template <class T, int kColumns>
AACO_DEVICE void multiply_tiles(WarpgroupProduct<kColumns>& to, uint64_t left, uint64_t right, bool adds) {
  static_assert(kColumns == 64);
  if constexpr (std::is_same_v<T, Half>) {
    AACO_MULTIPLY_TILES("64", "f16", AACO_32_REGISTERS, "32", "33", "34", AACO_EIGHT_FOURS(0));
  } else {
    AACO_MULTIPLY_TILES("64", "bf16", AACO_32_REGISTERS, "32", "33", "34", AACO_EIGHT_FOURS(0));
  }
}

// to += left * right: 16 columns of `left`, 16 rows of the tile `right` (over_rows).
template <class T, int kColumns>
AACO_DEVICE void add_words_by_tile(WarpgroupProduct<kColumns>& to, const uint32_t (&left)[4], uint64_t right) {
  static_assert(kColumns == 64 || kColumns == 128);
  if constexpr (kColumns == 64 && std::is_same_v<T, Half>) {
    AACO_MULTIPLY_WORDS("64", "f16", AACO_32_REGISTERS, "32", "33", "34", "35", "36", AACO_EIGHT_FOURS(0));
  } else if constexpr (kColumns == 64) {
    AACO_MULTIPLY_WORDS("64", "bf16", AACO_32_REGISTERS, "32", "33", "34", "35", "36", AACO_EIGHT_FOURS(0));
  } else if constexpr (std::is_same_v<T, Half>) {
    AACO_MULTIPLY_WORDS("128", "f16", AACO_64_REGISTERS, "64", "65", "66", "67", "68", AACO_EIGHT_FOURS(0),
                        AACO_EIGHT_FOURS(8));
  } else {
    AACO_MULTIPLY_WORDS("128", "bf16", AACO_64_REGISTERS, "64", "65", "66", "67", "68", AACO_EIGHT_FOURS(0),
                        AACO_EIGHT_FOURS(8));
  }
}

#undef AACO_FOUR
#undef AACO_EIGHT_FOURS
#undef AACO_32_REGISTERS
#undef AACO_64_REGISTERS
#undef AACO_MULTIPLY_TILES
#undef AACO_MULTIPLY_WORDS

}  // namespace aaco::gpu
