// SPDX-License-Identifier: MIT
// Pooling and the preparation of images: a thread per result.
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

template <class T>
AACO_KERNEL void pool_kernel(PlaneRowsArgs<PoolArgs> args) {
  const T* in = static_cast<const T*>(args.op.in);
  T* out = static_cast<T*>(args.op.out);
  const int32_t window = args.op.window;
  const int64_t out_h = args.op.h / window;
  for_row_items(args.team, args.rows, args.items, [&](int64_t row, int64_t item) {
    const int64_t corner = (row / out_h * args.op.h + row % out_h * window) * args.op.w + item * window;
    float largest = load(in, corner);
    float sum = 0;
    for (int32_t y = 0; y < window; ++y) {
      for (int32_t x = 0; x < window; ++x) {
        const float value = load(in, corner + static_cast<int64_t>(y) * args.op.w + x);
        largest = value > largest || value != value ? value : largest;
        sum += value;
      }
    }
    const float mean = sum / static_cast<float>(window * window);
    store(out, row * args.items + item, args.op.kind == PoolKind::kMax ? largest : mean);
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
    launch_plane_rows<pool_kernel<T>>(stream, args, args.planes * (args.h / args.window), args.w / args.window);
  });
}

void run_on_gpu(StreamContext& stream, const ImageArgs& args) {
  with_float_type(args.dtype, [&]<class T>(T*) {
    launch_plane_rows<image_kernel<T>>(stream, args, static_cast<int64_t>(args.n) * args.c * args.h, args.w);
  });
}

}  // namespace aaco::gpu
