// SPDX-License-Identifier: MIT
#include "device/gpu/run_on_gpu.h"
#include "device/kernels/rows/column_tile.h"

namespace aaco::gpu {

namespace {

// A block: 32 columns of a group.
AACO_KERNEL void sum_parts_kernel(SumPartsArgs args) {
  wait_for_previous();
  AACO_SHARED float scratch[kTileScratch<1>];
  const int64_t column = static_cast<int64_t>(block_x()) * kTilePacks + thread_x() % kTilePacks;
  const float* const parts = args.in + static_cast<int64_t>(block_y()) * args.parts * args.cols;
  float sum = 0;
  AACO_UNROLL_BY_4
  for (int64_t part = thread_x() / kTilePacks; part < args.parts; part += kTileRows) {
    sum += column < args.cols ? parts[part * args.cols + column] : 0;
  }
  float* const out = args.out + static_cast<int64_t>(block_y()) * args.cols;
  join_tile<Sum, 1>(&sum, args.cols, scratch, [&](int64_t c, float value) { out[c] = value; });
}

}  // namespace

void run_on_gpu(StreamContext& stream, const SumPartsArgs& args) {
  if (args.groups > 0 && args.cols > 0) {
    launch_behind<sum_parts_kernel>(stream, tile_grid(args.cols, 1, args.groups), kElementBlock, 0, args);
  }
}

}  // namespace aaco::gpu
