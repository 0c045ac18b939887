// SPDX-License-Identifier: MIT
// Pooling and the preparation of images: a thread per result, or per pack of them where windows are two by two.
#include "device/gpu/run_on_gpu.h"
#include "device/kernels/row_teams.h"

namespace aaco::gpu {

template <class Args>
struct PlaneRowsArgs {
  Args op;
  int64_t rows = 0;
  int64_t items = 0;
  uint32_t team = 1;
};

// What a window's elements come to.
struct PoolAccumulator {
  float largest;
  float sum = 0;

  AACO_DEVICE explicit PoolAccumulator(float first) : largest(first) {}
  AACO_DEVICE void add(float value) {
    largest = value > largest || value != value ? value : largest;
    sum += value;
  }
  AACO_DEVICE float result(const PoolArgs& args) const {
    return args.kind == PoolKind::kMax ? largest : sum / static_cast<float>(args.window * args.window);
  }
};

AACO_DEVICE int64_t window_row(const PoolArgs& args, int64_t row) {
  const int64_t out_h = args.h / args.window;
  return row / out_h * args.h + row % out_h * args.window;
}

template <class T>
AACO_KERNEL void pool_kernel(PlaneRowsArgs<PoolArgs> args) {
  const T* in = static_cast<const T*>(args.op.in);
  T* out = static_cast<T*>(args.op.out);
  const int32_t window = args.op.window;
  for_row_items(args.team, args.rows, args.items, [&](int64_t row, int64_t item) {
    const int64_t corner = window_row(args.op, row) * args.op.w + item * window;
    PoolAccumulator pooled(load(in, corner));
    for (int32_t y = 0; y < window; ++y) {
      for (int32_t x = 0; x < window; ++x) {
        pooled.add(load(in, corner + static_cast<int64_t>(y) * args.op.w + x));
      }
    }
    store(out, row * args.items + item, pooled.result(args.op));
  });
}

// Windows of two by two, a pack of results per thread.
template <class T, int kPack>
AACO_KERNEL void pool_packs_kernel(PlaneRowsArgs<PoolArgs> args) {
  const T* in = static_cast<const T*>(args.op.in);
  T* out = static_cast<T*>(args.op.out);
  for_row_items(args.team, args.rows, args.items, [&](int64_t row, int64_t item) {
    const int64_t width = args.op.w;
    const int64_t corner = window_row(args.op, row) * width + item * 2 * kPack;
    float values[2][2 * kPack];
    AACO_UNROLL
    for (int y = 0; y < 2; ++y) {
      load_pack<kPack>(in, corner + y * width, values[y]);
      load_pack<kPack>(in, corner + y * width + kPack, values[y] + kPack);
    }
    float results[kPack];
    AACO_UNROLL
    for (int i = 0; i < kPack; ++i) {
      PoolAccumulator pooled(values[0][2 * i]);
      AACO_UNROLL
      for (int j = 0; j < 4; ++j) {
        pooled.add(values[j / 2][2 * i + j % 2]);
      }
      results[i] = pooled.result(args.op);
    }
    store_pack<kPack>(out, (row * args.items + item) * kPack, results);
  });
}

template <class T>
AACO_KERNEL void image_kernel(PlaneRowsArgs<ImageArgs> args) {
  T* out = static_cast<T*>(args.op.out);
  for_row_items(args.team, args.rows, args.items, [&](int64_t row, int64_t x) {
    const int64_t plane = row / args.op.h;
    const int64_t channel = plane % args.op.c;
    const bool mirrored = args.op.flip != nullptr && args.op.flip[plane / args.op.c] != 0;
    const uint8_t byte = args.op.in[row * args.op.w + (mirrored ? args.op.w - 1 - x : x)];
    const float value = (static_cast<float>(byte) / 255 - args.op.mean[channel]) / args.op.deviation[channel];
    store(out, row * args.op.w + x, value);
  });
}

namespace {

template <auto kKernel, class Args>
void launch_plane_rows(StreamContext& stream, const Args& args, int64_t rows, int64_t items) {
  if (rows > 0 && items > 0) {
    const RowTeams teams = row_teams(rows, items);
    launch<kKernel>(stream, teams.grid, kElementBlock, 0, PlaneRowsArgs<Args>{args, rows, items, teams.team});
  }
}

}  // namespace

void run_on_gpu(StreamContext& stream, const PoolArgs& args) {
  with_float_type(args.dtype, [&]<class T>(T*) {
    constexpr int kPack = packed_count<T>();
    const int64_t rows = args.planes * (args.h / args.window);
    if (args.window == 2 && args.w % (2 * kPack) == 0 && are_aligned(args.in, args.out)) {
      launch_plane_rows<pool_packs_kernel<T, kPack>>(stream, args, rows, args.w / (2 * kPack));
    } else {
      launch_plane_rows<pool_kernel<T>>(stream, args, rows, args.w / args.window);
    }
  });
}

void run_on_gpu(StreamContext& stream, const ImageArgs& args) {
  with_float_type(args.dtype, [&]<class T>(T*) {
    launch_plane_rows<image_kernel<T>>(stream, args, static_cast<int64_t>(args.n) * args.c * args.h, args.w);
  });
}

}  // namespace aaco::gpu
