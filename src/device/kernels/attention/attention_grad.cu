// SPDX-License-Identifier: MIT
// The gradient of attention: delta, the row sums of out_grad * out; then dq, a block per tile of query rows that goes
// through the keys; then dk and dv, a block per tile of keys that goes through the query rows of all heads that share
// them. Weights come again from the row's log-sum. No block adds to what another writes. The narrow types where the
// device has matrix units: after delta, attention_grad_matrix.cu; on Hopper hopper/attention_grad.cu. Where there is
// memory for all pairs: attention_grad_pairs.cu.
#include "device/gpu/run_on_gpu.h"
#include "device/kernels/attention/attention_grad_pairs.h"
#include "device/kernels/attention/attention_grad_tile.h"
#include "device/kernels/attention/attention_matrix.h"
#include "device/kernels/attention/attention_warpgroup.h"
#include "device/kernels/launch_bounds.h"

namespace aaco::gpu {

inline constexpr uint32_t kDeltaBlock = 256;

// A wave per row.
template <class T>
AACO_KERNEL void delta_kernel(AttentionGradArgs args) {
  const AttentionArgs& forward = args.forward;
  const int64_t rows = static_cast<int64_t>(forward.batch) * forward.heads * forward.q_len;
  const int64_t waves = block_size() / static_cast<uint32_t>(kWaveLanes);
  for (int64_t i = block_x() * waves + wave(); i < rows; i += grid_x() * waves) {
    const int64_t head = i / forward.q_len % forward.heads;
    const int64_t batch = i / forward.q_len / forward.heads;
    const int64_t start =
        batch * forward.out_layout.batch + i % forward.q_len * forward.out_layout.row + head * forward.out_layout.head;
    float sum = 0;
    for (int32_t d = lane(); d < forward.head_dim; d += kWaveLanes) {
      sum +=
          load(static_cast<const T*>(args.out_grad), start + d) * load(static_cast<const T*>(forward.out), start + d);
    }
    sum = wave_sum(sum);
    if (lane() == 0) {
      args.delta[i] = sum;
    }
  }
}

template <class Tile>
struct GradMemory {
  static constexpr size_t kFloats = 2 * (Tile::kOwn + Tile::kOther) * Tile::kStride + Tile::kOwn * Tile::kPairStride;
  float* own;         // queries, or keys
  float* own_second;  // out_grad, or values
  float* other;
  float* other_second;
  float* pairs;

  AACO_DEVICE explicit GradMemory(float* memory)
      : own(memory),
        own_second(own + Tile::kOwn * Tile::kStride),
        other(own_second + Tile::kOwn * Tile::kStride),
        other_second(other + Tile::kOther * Tile::kStride),
        pairs(other_second + Tile::kOther * Tile::kStride) {}
};

template <class Tile>
AACO_DEVICE void clear(float (&sums)[Tile::kOwnPer][Tile::kDimPer]) {
  AACO_UNROLL
  for (int i = 0; i < Tile::kOwnPer; ++i) {
    AACO_UNROLL
    for (int c = 0; c < Tile::kDimPer; ++c) {
      sums[i][c] = 0;
    }
  }
}

template <class T, class Tile>
AACO_KERNEL AACO_BLOCKS(Tile::kThreads, 2) void dq_kernel(AttentionGradArgs args) {
  AACO_DYNAMIC_SHARED(float, memory);
  const GradMemory<Tile> tiles(memory);
  const AttentionArgs& forward = args.forward;
  const auto head = static_cast<int32_t>(block_y());
  const auto batch = static_cast<int32_t>(block_z());
  const int32_t kv_head = head / (forward.heads / forward.kv_heads);
  const int32_t dim = forward.head_dim;
  const int32_t first = static_cast<int32_t>(grid_x() - 1 - block_x()) * Tile::kOwn;
  const int32_t last = first + Tile::kOwn < forward.q_len ? first + Tile::kOwn - 1 : forward.q_len - 1;
  const int64_t first_statistic = (static_cast<int64_t>(batch) * forward.heads + head) * forward.q_len;
  const auto keys = head_rows<T>(forward.k, forward.kv_layout, batch, kv_head, forward.kv_len, dim);
  const auto values = head_rows<T>(forward.v, forward.kv_layout, batch, kv_head, forward.kv_len, dim);
  load_tile<Tile, Tile::kOwn>(head_rows<T>(forward.q, forward.q_layout, batch, head, forward.q_len, dim), first,
                              tiles.own);
  load_tile<Tile, Tile::kOwn>(head_rows<T>(args.out_grad, forward.out_layout, batch, head, forward.q_len, dim), first,
                              tiles.own_second);
  RowStatistics statistics[Tile::kOwnPer];
  AACO_UNROLL
  for (int i = 0; i < Tile::kOwnPer; ++i) {
    const int32_t row = first + Tile::own_row(i);
    statistics[i] = row < forward.q_len ? row_statistics(args, first_statistic + row) : RowStatistics{};
  }
  float dq[Tile::kOwnPer][Tile::kDimPer];
  clear<Tile>(dq);
  const int32_t keys_end = keys_seen(forward, last);
  TileLoad<Tile, Tile::kOther> coming_keys;
  TileLoad<Tile, Tile::kOther> coming_values;
  coming_keys.fetch(keys, 0);
  coming_values.fetch(values, 0);
  for (int32_t key = 0; key < keys_end; key += Tile::kOther) {
    sync_block();
    coming_keys.put(tiles.other);
    coming_values.put(tiles.other_second);
    sync_block();
    coming_keys.fetch(keys, key + Tile::kOther);
    coming_values.fetch(values, key + Tile::kOther);
    float products[Tile::kOwnPer][Tile::kOtherPer];
    float value_products[Tile::kOwnPer][Tile::kOtherPer];
    multiply_rows<Tile>(tiles.own, tiles.other, dim, products);
    multiply_rows<Tile>(tiles.own_second, tiles.other_second, dim, value_products);
    const bool all_seen = key + Tile::kOther <= keys_seen(forward, first);
    AACO_UNROLL
    for (int i = 0; i < Tile::kOwnPer; ++i) {
      const int32_t seen = keys_seen(forward, first + Tile::own_row(i));
      AACO_UNROLL
      for (int j = 0; j < Tile::kOtherPer; ++j) {
        const bool sees = all_seen || key + Tile::other_row(j) < seen;
        const PairGrad grad = pair_grad(forward.scale * kLog2E, statistics[i], products[i][j], value_products[i][j]);
        products[i][j] = sees ? grad.score : 0;
      }
    }
    put_pairs<Tile>(products, tiles.pairs);
    sync_block();
    add_weighted_rows<Tile>(tiles.pairs, tiles.other, dq);
  }
  scale_sums<Tile>(dq, forward.scale);
  turn_sums_back<Tile>(args, first, forward.q_len, 0, dq);
  store_rows<Tile>(dq, head_rows<T>(args.dq, forward.q_layout, batch, head, forward.q_len, dim), first);
}

// The keys' and values' gradients so far.
template <class Tile>
struct KeyGrads {
  float dk[Tile::kOwnPer][Tile::kDimPer];
  float dv[Tile::kOwnPer][Tile::kDimPer];

  // The query rows of the tiles, from row `query` of the head whose statistics begin at `statistic`.
  AACO_DEVICE void add(const AttentionGradArgs& args, const GradMemory<Tile>& tiles, int32_t first_key, int32_t query,
                       int64_t statistic) {
    float weights[Tile::kOwnPer][Tile::kOtherPer];
    float scores[Tile::kOwnPer][Tile::kOtherPer];
    multiply_rows<Tile>(tiles.own, tiles.other, args.forward.head_dim, weights);
    multiply_rows<Tile>(tiles.own_second, tiles.other_second, args.forward.head_dim, scores);
    const bool all_seen =
        query + Tile::kOther <= args.forward.q_len && first_key + Tile::kOwn <= keys_seen(args.forward, query);
    AACO_UNROLL
    for (int j = 0; j < Tile::kOtherPer; ++j) {
      const int32_t row = query + Tile::other_row(j);
      const bool exists = row < args.forward.q_len;
      const RowStatistics statistics = exists ? row_statistics(args, statistic + row) : RowStatistics{};
      AACO_UNROLL
      for (int i = 0; i < Tile::kOwnPer; ++i) {
        const PairGrad grad = pair_grad(args.forward.scale * kLog2E, statistics, weights[i][j], scores[i][j]);
        weights[i][j] = grad.weight;
        scores[i][j] = grad.score;
      }
      if (!all_seen) {
        const int32_t seen = exists ? keys_seen(args.forward, row) : 0;
        AACO_UNROLL
        for (int i = 0; i < Tile::kOwnPer; ++i) {
          if (first_key + Tile::own_row(i) >= seen) {
            weights[i][j] = 0;
            scores[i][j] = 0;
          }
        }
      }
    }
    put_pairs<Tile>(weights, tiles.pairs);
    sync_block();
    add_weighted_rows<Tile>(tiles.pairs, tiles.other_second, dv);
    sync_block();
    put_pairs<Tile>(scores, tiles.pairs);
    sync_block();
    add_weighted_rows<Tile>(tiles.pairs, tiles.other, dk);
  }
};

template <class T, class Tile>
AACO_KERNEL AACO_BLOCKS(Tile::kThreads, 2) void dkv_kernel(AttentionGradArgs args) {
  AACO_DYNAMIC_SHARED(float, memory);
  const GradMemory<Tile> tiles(memory);
  const AttentionArgs& forward = args.forward;
  const auto kv_head = static_cast<int32_t>(block_y());
  const auto batch = static_cast<int32_t>(block_z());
  const int32_t group = forward.heads / forward.kv_heads;
  const int32_t dim = forward.head_dim;
  const int32_t first = static_cast<int32_t>(block_x()) * Tile::kOwn;
  load_tile<Tile, Tile::kOwn>(head_rows<T>(forward.k, forward.kv_layout, batch, kv_head, forward.kv_len, dim), first,
                              tiles.own);
  load_tile<Tile, Tile::kOwn>(head_rows<T>(forward.v, forward.kv_layout, batch, kv_head, forward.kv_len, dim), first,
                              tiles.own_second);
  // The first query row that sees the tile's first key.
  const int32_t sees = forward.causal != 0 ? first - (forward.kv_len - forward.q_len) : 0;
  KeyGrads<Tile> grads;
  clear<Tile>(grads.dk);
  clear<Tile>(grads.dv);
  for (int32_t head = kv_head * group; head < (kv_head + 1) * group; ++head) {
    const auto queries = head_rows<T>(forward.q, forward.q_layout, batch, head, forward.q_len, dim);
    const auto out_grads = head_rows<T>(args.out_grad, forward.out_layout, batch, head, forward.q_len, dim);
    const int64_t statistic = (static_cast<int64_t>(batch) * forward.heads + head) * forward.q_len;
    const int32_t first_query = sees > 0 ? sees : 0;
    TileLoad<Tile, Tile::kOther> coming_queries;
    TileLoad<Tile, Tile::kOther> coming_grads;
    coming_queries.fetch(queries, first_query);
    coming_grads.fetch(out_grads, first_query);
    for (int32_t query = first_query; query < forward.q_len; query += Tile::kOther) {
      sync_block();
      coming_queries.put(tiles.other);
      coming_grads.put(tiles.other_second);
      sync_block();
      coming_queries.fetch(queries, query + Tile::kOther);
      coming_grads.fetch(out_grads, query + Tile::kOther);
      grads.add(args, tiles, first, query, statistic);
    }
  }
  scale_sums<Tile>(grads.dk, forward.scale);
  turn_sums_back<Tile>(args, first, forward.kv_len, 0, grads.dk);
  store_rows<Tile>(grads.dk, head_rows<T>(args.dk, forward.kv_layout, batch, kv_head, forward.kv_len, dim), first);
  store_rows<Tile>(grads.dv, head_rows<T>(args.dv, forward.kv_layout, batch, kv_head, forward.kv_len, dim), first);
}

namespace {

template <class T>
void launch_delta(StreamContext& stream, const AttentionGradArgs& args) {
  const AttentionArgs& forward = args.forward;
  const int64_t rows = static_cast<int64_t>(forward.batch) * forward.heads * forward.q_len;
  if (rows > 0) {
    launch<delta_kernel<T>>(stream, grid_for(rows * stream.limits.wave_lanes), kDeltaBlock, 0, args);
  }
}

template <class T, class Tile>
void launch_grad(StreamContext& stream, const AttentionGradArgs& args) {
  constexpr size_t kShared = sizeof(float) * GradMemory<Tile>::kFloats;
  const AttentionArgs& forward = args.forward;
  const auto tiles = [](int32_t rows) { return static_cast<uint32_t>((rows + Tile::kOwn - 1) / Tile::kOwn); };
  const auto batch = static_cast<uint32_t>(forward.batch);
  if (forward.q_len > 0) {
    launch<dq_kernel<T, Tile>>(stream, {tiles(forward.q_len), static_cast<uint32_t>(forward.heads), batch},
                               Tile::kThreads, kShared, args);
  }
  if (forward.kv_len > 0) {
    launch<dkv_kernel<T, Tile>>(stream, {tiles(forward.kv_len), static_cast<uint32_t>(forward.kv_heads), batch},
                                Tile::kThreads, kShared, args);
  }
}

template <class T, class Large, class Small>
void launch_what_fits(StreamContext& stream, const AttentionGradArgs& args) {
  constexpr size_t kShared = sizeof(float) * GradMemory<Large>::kFloats;
  if constexpr (kShared <= kMostSharedBytes) {
    if (kShared <= stream.limits.shared_bytes) {
      return launch_grad<T, Large>(stream, args);
    }
  }
  launch_grad<T, Small>(stream, args);
}

}  // namespace

// The smaller tiles fit into 64 KiB of shared memory, what AMD's devices have.
void run_on_gpu(StreamContext& stream, const AttentionGradArgs& args) {
  if (args.forward.batch == 0 || args.forward.heads == 0) {
    return;
  }
  with_float_type(args.forward.dtype, [&]<class T>(T*) {
    if (attend_grad_by_warpgroups(stream, args)) {
      return;
    }
    launch_delta<T>(stream, args);
    if (stream.limits.matrix_units && args.forward.dtype != Dtype::kF32) {
      return attend_grad_on_matrix_units(stream, args);
    }
    if (args.pairs != nullptr) {
      return attend_grad_by_pairs(stream, args);
    }
    if (args.forward.head_dim <= 64) {
      launch_what_fits<T, AttentionTile<64, 64, 64, 16, 8>, AttentionTile<64, 64, 32, 16, 8>>(stream, args);
    } else if (args.forward.head_dim <= 128) {
      launch_what_fits<T, AttentionTile<128, 32, 32, 8, 16>, AttentionTile<128, 32, 16, 8, 16>>(stream, args);
    } else {
      launch_what_fits<T, AttentionTile<256, 16, 32, 8, 16>, AttentionTile<256, 16, 8, 8, 8>>(stream, args);
    }
  });
}

}  // namespace aaco::gpu
