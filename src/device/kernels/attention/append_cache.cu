// SPDX-License-Identifier: MIT
// New rows of keys and values behind those of the caches.
#include "device/gpu/run_on_gpu.h"
#include "device/ops/attention.h"
#include "device/kernels/row_teams.h"

namespace aaco::gpu {

struct AppendKernelArgs {
  AppendCacheArgs op;
  int64_t rows = 0;   // of all sequences and heads
  int64_t items = 0;  // packs of a row
  uint32_t team = 1;
};

template <class T, class Cache, int kPack>
AACO_DEVICE void copy_pack(const void* from, int64_t from_place, void* to, int64_t to_place) {
  float values[kPack];
  load_pack<kPack>(static_cast<const T*>(from), from_place, values);
  store_pack<kPack>(static_cast<Cache*>(to), to_place, values);
}

template <class T, class Cache, int kPack>
AACO_KERNEL void append_kernel(AppendKernelArgs args) {
  const AppendCacheArgs& op = args.op;
  for_row_items(args.team, args.rows, args.items, [&](int64_t i, int64_t item) {
    const int64_t head = i % op.kv_heads;
    const int64_t row = i / op.kv_heads % op.rows;
    const int64_t batch = i / op.kv_heads / op.rows;
    const int64_t cache_row = op.lengths[batch] + row;
    if (cache_row < 0 || cache_row >= op.capacity) {
      return;
    }
    const int64_t from = batch * op.layout.batch + row * op.layout.row + head * op.layout.head + item * kPack;
    const int64_t to = ((batch * op.kv_heads + head) * op.capacity + cache_row) * op.head_dim + item * kPack;
    copy_pack<T, Cache, kPack>(op.k, from, op.k_cache, to);
    copy_pack<T, Cache, kPack>(op.v, from, op.v_cache, to);
  });
}

namespace {

template <class T, class Cache, int kPack>
void launch_append(StreamContext& stream, const AppendCacheArgs& args) {
  const int64_t rows = static_cast<int64_t>(args.batch) * args.rows * args.kv_heads;
  const int64_t items = args.head_dim / kPack;
  const RowTeams teams = row_teams(rows, items);
  launch<append_kernel<T, Cache, kPack>>(stream, teams.grid, kElementBlock, 0,
                                         AppendKernelArgs{args, rows, items, teams.team});
}

}  // namespace

void run_on_gpu(StreamContext& stream, const AppendCacheArgs& args) {
  if (args.batch == 0 || args.rows == 0 || args.kv_heads == 0 || args.head_dim == 0) {
    return;
  }
  with_float_type(args.dtype, [&]<class T>(T*) {
    with_float_type(args.cache_dtype, [&]<class Cache>(Cache*) {
      constexpr int kPack = packed_count<T, Cache>();
      const bool packs = args.head_dim % kPack == 0 && args.layout.batch % kPack == 0 && args.layout.row % kPack == 0 &&
                         args.layout.head % kPack == 0;
      if (packs && are_aligned(args.k, args.v, args.k_cache, args.v_cache)) {
        launch_append<T, Cache, kPack>(stream, args);
      } else {
        launch_append<T, Cache, 1>(stream, args);
      }
    });
  });
}

}  // namespace aaco::gpu
