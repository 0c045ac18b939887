// SPDX-License-Identifier: MIT
// Convolution where the vendor's library does not do it: as a matrix product whose second matrix, the patches of the
// input, is never stored: filters [o, c r s] times patches [c r s, pixels of all images]. A block makes kTileO x
// kTilePixels results from tiles in shared memory; fp32 multiply-adds, whatever the type. The next tiles are on their
// way to registers while one is multiplied.
#include "device/gpu/libraries/conv_library.h"
#include "device/gpu/run_on_gpu.h"
#include "device/ops/conv_shape.h"
#include "device/kernels/launch_bounds.h"
#include "device/kernels/packed_access.h"

namespace aaco::gpu {

inline constexpr int kConvBlock = 256;
inline constexpr int kConvSide = 16;  // threads along either side of the tile
inline constexpr int kTilePixels = 128;
inline constexpr int kTileK = 16;
inline constexpr int kPixelsPer = kTilePixels / kConvSide;  // of a thread: two packs of four
inline constexpr int kFetchedPatches = kTileK * kTilePixels / kConvBlock;

struct ConvKernelArgs {
  ConvArgs op;
  int32_t out_w = 0;
  int32_t filter = 0;        // c r s
  int64_t out_pixels = 0;    // of one image
  int64_t total_pixels = 0;  // of all
};

// What a filter element meets: relative to the pixel's corner.
struct FilterPlace {
  int32_t offset;  // c * h * w + r * w + s
  int32_t r;
  int32_t s;
};

// The pixel whose patch a thread fetches.
template <class T>
struct PixelCorner {
  const T* at;  // may lie outside of the image
  int32_t y;
  int32_t x;
  bool exists;
};

template <class T>
AACO_DEVICE PixelCorner<T> corner_of(const ConvKernelArgs& args, int64_t pixel) {
  const ConvArgs& op = args.op;
  const int64_t image = pixel / args.out_pixels;
  const auto inside = static_cast<int32_t>(pixel % args.out_pixels);
  const int32_t y = inside / args.out_w * op.stride - op.pad;
  const int32_t x = inside % args.out_w * op.stride - op.pad;
  const int64_t offset = (image * op.c * op.h + y) * op.w + x;
  return {static_cast<const T*>(op.in) + offset, y, x, pixel < args.total_pixels};
}

AACO_DEVICE FilterPlace place_of(const ConvArgs& op, int32_t k) {
  const int32_t area = op.r * op.s;
  const int32_t channel = k / area;
  const int32_t r = k % area / op.s;
  const int32_t s = k % op.s;
  return {(channel * op.h + r) * op.w + s, r, s};
}

// The shared memory of a block: filters [k][o], patches [k][pixel], and of two tiles in turn what their k mean.
template <int kTileO>
struct ConvTiles {
  static constexpr int kFilterStride = kTileO + 4;
  Pack<float, 4> filters[kTileK * kFilterStride / 4];
  Pack<float, 4> patches[kTileK * kTilePixels / 4];
  FilterPlace places[2][kTileK];
};

// What a thread has of a block's tile: columns [4 tx, + 4) of either half of the pixels, and kFiltersPer filters.
template <class T, int kTileO>
struct ConvThread {
  using Tiles = ConvTiles<kTileO>;
  static constexpr int kFiltersPer = kTileO / kConvSide;
  static constexpr int kFetchedFilters = kTileK * kTileO / kConvBlock;

  int thread = static_cast<int>(thread_x());
  int tx = thread % kConvSide;
  int ty = thread / kConvSide;
  int64_t first_pixel = static_cast<int64_t>(block_x()) * kTilePixels;
  int32_t first_o = static_cast<int32_t>(block_y()) * kTileO;
  float filters[kFetchedFilters];
  float patches[kFetchedPatches];
  float sums[kFiltersPer][kPixelsPer] = {};

  AACO_DEVICE void fetch(const ConvKernelArgs& args, const PixelCorner<T>& corner, int32_t k0,
                         const FilterPlace* places) {
    AACO_UNROLL
    for (int i = 0; i < kFetchedFilters; ++i) {
      const int32_t o = first_o + (thread + i * kConvBlock) / kTileK;
      const int32_t k = k0 + thread % kTileK;
      const int64_t place = static_cast<int64_t>(o) * args.filter + k;
      filters[i] = o < args.op.o && k < args.filter ? load(static_cast<const T*>(args.op.weight), place) : 0;
    }
    AACO_UNROLL
    for (int i = 0; i < kFetchedPatches; ++i) {
      const int kk = thread / kTilePixels + i * (kConvBlock / kTilePixels);
      const int32_t y = corner.y + places[kk].r;
      const int32_t x = corner.x + places[kk].s;
      const bool inside = k0 + kk < args.filter && y >= 0 && y < args.op.h && x >= 0 && x < args.op.w;
      patches[i] = corner.exists && inside ? load(corner.at, places[kk].offset) : 0;
    }
  }

  AACO_DEVICE void put(Tiles& tiles) const {
    AACO_UNROLL
    for (int i = 0; i < kFetchedFilters; ++i) {
      const int place = thread % kTileK * Tiles::kFilterStride + (thread + i * kConvBlock) / kTileK;
      tiles.filters[place / 4].values[place % 4] = filters[i];
    }
    AACO_UNROLL
    for (int i = 0; i < kFetchedPatches; ++i) {
      const int place = thread + i * kConvBlock;
      tiles.patches[place / 4].values[place % 4] = patches[i];
    }
  }

  AACO_DEVICE void multiply(const Tiles& tiles) {
    for (int kk = 0; kk < kTileK; ++kk) {
      Pack<float, 4> of_filters[kFiltersPer / 4];
      AACO_UNROLL
      for (int i = 0; i < kFiltersPer / 4; ++i) {
        of_filters[i] = tiles.filters[(kk * Tiles::kFilterStride + ty * kFiltersPer) / 4 + i];
      }
      AACO_UNROLL
      for (int half = 0; half < 2; ++half) {
        const Pack<float, 4> of_pixels = tiles.patches[(kk * kTilePixels + half * kTilePixels / 2) / 4 + tx];
        AACO_UNROLL
        for (int i = 0; i < kFiltersPer; ++i) {
          AACO_UNROLL
          for (int j = 0; j < 4; ++j) {
            sums[i][half * 4 + j] += of_filters[i / 4].values[i % 4] * of_pixels.values[j];
          }
        }
      }
    }
  }

  AACO_DEVICE void finish(const ConvKernelArgs& args) const {
    AACO_UNROLL
    for (int j = 0; j < kPixelsPer; ++j) {
      const int64_t pixel = first_pixel + (j / 4 * (kTilePixels / 2) + tx * 4 + j % 4);
      const int64_t image = pixel / args.out_pixels;
      AACO_UNROLL
      for (int i = 0; i < kFiltersPer; ++i) {
        const int32_t o = first_o + ty * kFiltersPer + i;
        if (pixel < args.total_pixels && o < args.op.o) {
          const float bias = args.op.bias != nullptr ? load(static_cast<const T*>(args.op.bias), o) : 0;
          const float value = sums[i][j] + bias;
          const int64_t place = (image * (args.op.o - 1) + o) * args.out_pixels + pixel;
          store(static_cast<T*>(args.op.out), place, args.op.relu != 0 && value < 0 ? 0 : value);
        }
      }
    }
  }
};

template <class T, int kTileO>
AACO_KERNEL AACO_BLOCKS(kConvBlock, 2) void conv_kernel(ConvKernelArgs args) {
  AACO_SHARED ConvTiles<kTileO> tiles;
  ConvThread<T, kTileO> own;
  const PixelCorner<T> corner = corner_of<T>(args, own.first_pixel + own.thread % kTilePixels);
  if (own.thread < kTileK) {
    tiles.places[0][own.thread] = place_of(args.op, own.thread);
  }
  sync_block();
  own.fetch(args, corner, 0, tiles.places[0]);
  int next = 1;
  for (int32_t k0 = 0; k0 < args.filter; k0 += kTileK) {
    own.put(tiles);
    if (own.thread < kTileK) {
      tiles.places[next][own.thread] = place_of(args.op, k0 + kTileK + own.thread);
    }
    sync_block();
    if (k0 + kTileK < args.filter) {
      own.fetch(args, corner, k0 + kTileK, tiles.places[next]);
    }
    next = 1 - next;
    own.multiply(tiles);
    sync_block();
  }
  own.finish(args);
}

namespace {

template <class T, int kTileO>
void launch_conv(StreamContext& stream, const ConvKernelArgs& args) {
  const auto across = static_cast<uint32_t>((args.total_pixels + kTilePixels - 1) / kTilePixels);
  const auto down = static_cast<uint32_t>((args.op.o + kTileO - 1) / kTileO);
  launch<conv_kernel<T, kTileO>>(stream, {across, down, 1}, kConvBlock, 0, args);
}

}  // namespace

void run_on_gpu(StreamContext& stream, const ConvArgs& args) {
  const ConvShape shape = shape_of(args);
  const int64_t total = args.n * shape.out_pixels();
  if (total == 0 || args.o == 0 || convolve_by_library(stream, args)) {
    return;
  }
  const ConvKernelArgs kernel{args, shape.out_w, shape.filter, shape.out_pixels(), total};
  with_float_type(args.dtype, [&]<class T>(T*) {
    if (args.o <= 64) {
      launch_conv<T, 64>(stream, kernel);
    } else {
      launch_conv<T, 128>(stream, kernel);
    }
  });
}

}  // namespace aaco::gpu
