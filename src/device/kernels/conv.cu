// SPDX-License-Identifier: MIT
// Convolution as a matrix product whose second matrix, the patches of the input, is never stored: filters [o, c r s]
// times patches [c r s, pixels of all images]. A block makes kTileO x kTilePixels results from tiles in shared memory;
// fp32 multiply-adds, whatever the type. The next tiles are on their way to registers while one is multiplied.
#include "device/gpu/run_on_gpu.h"
#include "device/kernels/conv_shape.h"
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

template <class T, int kTileO>
AACO_KERNEL void conv_kernel(ConvKernelArgs args) {
  constexpr int kFiltersPer = kTileO / kConvSide;
  constexpr int kFetchedWeights = kTileK * kTileO / kConvBlock;
  constexpr int kFilterStride = kTileO + 4;
  AACO_SHARED Pack<float, 4> weight_tile[kTileK * kFilterStride / 4];
  AACO_SHARED Pack<float, 4> patch_tile[kTileK * kTilePixels / 4];
  AACO_SHARED FilterPlace places[2][kTileK];
  float* weights = weight_tile[0].values;
  float* patches = patch_tile[0].values;

  const auto thread = static_cast<int>(thread_x());
  const int64_t first_pixel = static_cast<int64_t>(block_x()) * kTilePixels;
  const int32_t first_o = static_cast<int32_t>(block_y()) * kTileO;
  const PixelCorner<T> corner = corner_of<T>(args, first_pixel + thread % kTilePixels);
  float fetched_weights[kFetchedWeights];
  float fetched_patches[kFetchedPatches];
  float sums[kFiltersPer][kPixelsPer] = {};

  const auto fetch = [&](int32_t k0, const FilterPlace* of) {
    AACO_UNROLL
    for (int i = 0; i < kFetchedWeights; ++i) {
      const int32_t o = first_o + (thread + i * kConvBlock) / kTileK;
      const int32_t k = k0 + thread % kTileK;
      const bool exists = o < args.op.o && k < args.filter;
      fetched_weights[i] =
          exists ? load(static_cast<const T*>(args.op.weight), static_cast<int64_t>(o) * args.filter + k) : 0;
    }
    AACO_UNROLL
    for (int i = 0; i < kFetchedPatches; ++i) {
      const int kk = thread / kTilePixels + i * (kConvBlock / kTilePixels);
      const FilterPlace place = of[kk];
      const int32_t y = corner.y + place.r;
      const int32_t x = corner.x + place.s;
      const bool exists = corner.exists && k0 + kk < args.filter && y >= 0 && y < args.op.h && x >= 0 && x < args.op.w;
      fetched_patches[i] = exists ? load(corner.at, place.offset) : 0;
    }
  };
  const auto put = [&] {
    AACO_UNROLL
    for (int i = 0; i < kFetchedWeights; ++i) {
      weights[thread % kTileK * kFilterStride + (thread + i * kConvBlock) / kTileK] = fetched_weights[i];
    }
    AACO_UNROLL
    for (int i = 0; i < kFetchedPatches; ++i) {
      patches[thread + i * kConvBlock] = fetched_patches[i];
    }
  };

  if (thread < kTileK) {
    places[0][thread] = place_of(args.op, thread);
  }
  sync_block();
  fetch(0, places[0]);
  const int tx = thread % kConvSide;
  const int ty = thread / kConvSide;
  int next = 1;
  for (int32_t k0 = 0; k0 < args.filter; k0 += kTileK) {
    put();
    if (thread < kTileK) {
      places[next][thread] = place_of(args.op, k0 + kTileK + thread);
    }
    sync_block();
    if (k0 + kTileK < args.filter) {
      fetch(k0 + kTileK, places[next]);
    }
    next = 1 - next;
    for (int kk = 0; kk < kTileK; ++kk) {
      Pack<float, 4> of_filters[kFiltersPer / 4];
      AACO_UNROLL
      for (int i = 0; i < kFiltersPer / 4; ++i) {
        of_filters[i] = weight_tile[(kk * kFilterStride + ty * kFiltersPer) / 4 + i];
      }
      AACO_UNROLL
      for (int j = 0; j < 2; ++j) {
        const Pack<float, 4> of_pixels = patch_tile[(kk * kTilePixels + j * kTilePixels / 2) / 4 + tx];
        AACO_UNROLL
        for (int i = 0; i < kFiltersPer; ++i) {
          AACO_UNROLL
          for (int lane_pixel = 0; lane_pixel < 4; ++lane_pixel) {
            sums[i][j * 4 + lane_pixel] += of_filters[i / 4].values[i % 4] * of_pixels.values[lane_pixel];
          }
        }
      }
    }
    sync_block();
  }

  AACO_UNROLL
  for (int j = 0; j < kPixelsPer; ++j) {
    const int64_t pixel = first_pixel + j / 4 * (kTilePixels / 2) + tx * 4 + j % 4;
    if (pixel >= args.total_pixels) {
      continue;
    }
    const int64_t image = pixel / args.out_pixels;
    AACO_UNROLL
    for (int i = 0; i < kFiltersPer; ++i) {
      const int32_t o = first_o + ty * kFiltersPer + i;
      if (o < args.op.o) {
        const float value = sums[i][j] + (args.op.bias != nullptr ? load(static_cast<const T*>(args.op.bias), o) : 0);
        store(static_cast<T*>(args.op.out), (image * (args.op.o - 1) + o) * args.out_pixels + pixel,
              args.op.relu != 0 && value < 0 ? 0 : value);
      }
    }
  }
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
  if (total == 0 || args.o == 0) {
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
