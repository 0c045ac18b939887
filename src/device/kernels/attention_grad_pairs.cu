// SPDX-License-Identifier: MIT
// The gradient of attention where there is memory for a number per pair of a query and a key: one kernel computes the
// weights and the gradients of the scores, a block per tile of pairs; another all three gradients from them, a block
// per tile of rows and slab of columns. Five products, where attention_grad.cu needs seven. Tiles in shared memory, see
// attention_tile.h; their columns are those of a slab of the head.
#include "device/kernels/attention_grad_pairs.h"
#include "device/kernels/attention_grad_tile.h"
#include "device/kernels/launch_bounds.h"

namespace aaco::gpu {

namespace {

using PairTile = AttentionTile<32, 64, 64, 16, 8>;

// Rows of queries or keys, whose own rows are packs: the weights of a pack lie side by side.
struct SlabTile : AttentionTile<64, 64, 64, 8, 8> {
  static AACO_DEVICE int own_pack(int i) { return (i * kOwnSide + static_cast<int>(thread_x()) / kOtherSide) * 4; }
  static AACO_DEVICE int own_row(int i) { return own_pack(i / 4) + i % 4; }
};

// The columns [first, first + Tile::kDim) of rows.
template <class T>
AACO_DEVICE HeadRows<T> slab(HeadRows<T> rows, int32_t first) {
  rows.data += first;
  rows.dim -= first;
  return rows;
}

// AttentionGradArgs::pairs of a batch and head, [q_len, kv_len] each.
struct PairArrays {
  HeadRows<float> weights;
  HeadRows<float> scores;
};

AACO_DEVICE PairArrays pair_arrays(const AttentionGradArgs& args, int64_t batch, int64_t head) {
  const AttentionArgs& forward = args.forward;
  const int64_t size = static_cast<int64_t>(forward.q_len) * forward.kv_len;
  const AttentionLayout layout{forward.heads * size, forward.kv_len, size};
  const auto weights = head_rows(args.pairs, layout, batch, head, forward.q_len, forward.kv_len);
  HeadRows<float> scores = weights;
  scores.data += static_cast<int64_t>(forward.batch) * forward.heads * size;
  return {weights, scores};
}

template <class T>
AACO_DEVICE void load_slabs(const HeadRows<const T>& own, const HeadRows<const T>& other, int32_t first_own,
                            int32_t first_other, float* own_tile, float* other_tile) {
  TileLoad<PairTile, PairTile::kOwn> own_rows;
  TileLoad<PairTile, PairTile::kOther> other_rows;
  own_rows.fetch(own, first_own);
  other_rows.fetch(other, first_other);
  own_rows.put(own_tile);
  other_rows.put(other_tile);
}

template <class T>
AACO_KERNEL AACO_BLOCKS(PairTile::kThreads, 4) void pairs_kernel(AttentionGradArgs args) {
  using Tile = PairTile;
  AACO_DYNAMIC_SHARED(float, memory);
  float* const queries_tile = memory;
  float* const grads_tile = queries_tile + size_t{Tile::kOwn} * Tile::kStride;
  float* const keys_tile = grads_tile + size_t{Tile::kOwn} * Tile::kStride;
  float* const values_tile = keys_tile + size_t{Tile::kOther} * Tile::kStride;
  const AttentionArgs& forward = args.forward;
  const auto head = static_cast<int32_t>(block_y());
  const auto batch = static_cast<int32_t>(block_z());
  const int32_t kv_head = head / (forward.heads / forward.kv_heads);
  const int32_t dim = forward.head_dim;
  const int32_t key_tiles = (forward.kv_len + Tile::kOther - 1) / Tile::kOther;
  const int32_t first = static_cast<int32_t>(block_x()) / key_tiles * Tile::kOwn;
  const int32_t key = static_cast<int32_t>(block_x()) % key_tiles * Tile::kOther;
  const int32_t last = first + Tile::kOwn < forward.q_len ? first + Tile::kOwn - 1 : forward.q_len - 1;
  if (key >= keys_seen(forward, last)) {
    return;
  }
  const auto queries = head_rows<T>(forward.q, forward.q_layout, batch, head, forward.q_len, dim);
  const auto out_grads = head_rows<T>(args.out_grad, forward.out_layout, batch, head, forward.q_len, dim);
  const auto keys = head_rows<T>(forward.k, forward.kv_layout, batch, kv_head, forward.kv_len, dim);
  const auto values = head_rows<T>(forward.v, forward.kv_layout, batch, kv_head, forward.kv_len, dim);
  float weights[Tile::kOwnPer][Tile::kOtherPer] = {};
  float scores[Tile::kOwnPer][Tile::kOtherPer] = {};
  for (int32_t column = 0; column < dim; column += Tile::kDim) {
    sync_block();  // nobody reads the slabs before any more
    load_slabs(slab(queries, column), slab(keys, column), first, key, queries_tile, keys_tile);
    load_slabs(slab(out_grads, column), slab(values, column), first, key, grads_tile, values_tile);
    sync_block();
    add_row_products<Tile>(queries_tile, keys_tile, Tile::kDim, weights);
    add_row_products<Tile>(grads_tile, values_tile, Tile::kDim, scores);
  }
  const PairArrays pairs = pair_arrays(args, batch, head);
  const int64_t statistic = (static_cast<int64_t>(batch) * forward.heads + head) * forward.q_len;
  AACO_UNROLL
  for (int i = 0; i < Tile::kOwnPer; ++i) {
    const int32_t row = first + Tile::own_row(i);
    if (row >= forward.q_len) {
      continue;
    }
    const RowStatistics statistics = row_statistics(args, statistic + row);
    const int32_t seen = keys_seen(forward, row);
    AACO_UNROLL
    for (int j = 0; j < Tile::kOtherPer; ++j) {
      const int32_t column = key + Tile::other_row(j);
      if (column < forward.kv_len) {
        const PairGrad grad = pair_grad(forward.scale * kLog2E, statistics, weights[i][j], scores[i][j]);
        const bool sees = column < seen;
        pairs.weights.data[row * pairs.weights.stride + column] = sees ? grad.weight : 0;
        pairs.scores.data[row * pairs.scores.stride + column] = sees ? grad.score : 0;
      }
    }
  }
}

// sums[i][c] += the sum over rows r of weights[r][own row i] * other[r][column c].
AACO_DEVICE void add_outer_products(const float* weights, const float* other,
                                    float (&sums)[SlabTile::kOwnPer][SlabTile::kDimPer]) {
  using Tile = SlabTile;
  AACO_UNROLL_BY_4
  for (int r = 0; r < Tile::kOther; ++r) {
    Pack<float, 4> weight[Tile::kOwnPer / 4];
    Pack<float, 4> values[Tile::kDimPer / 4];
    AACO_UNROLL
    for (int i = 0; i < Tile::kOwnPer / 4; ++i) {
      weight[i] = four_at(weights, r * Tile::kStride + Tile::own_pack(i));
    }
    AACO_UNROLL
    for (int c = 0; c < Tile::kDimPer; c += 4) {
      values[c / 4] = four_at(other, r * Tile::kStride + Tile::column(c));
    }
    AACO_UNROLL
    for (int i = 0; i < Tile::kOwnPer; ++i) {
      AACO_UNROLL
      for (int c = 0; c < Tile::kDimPer; ++c) {
        sums[i][c] += weight[i / 4].values[i % 4] * values[c / 4].values[c % 4];
      }
    }
  }
}

enum class Gradient : uint32_t { kQuery = 0, kKey = 1, kValue = 2 };

AACO_DEVICE HeadRows<const float> columns_of(const HeadRows<float>& pairs, int32_t first) {
  return {pairs.data + first, pairs.stride, pairs.count, pairs.dim - first, pairs.packed};
}

template <class T>
AACO_KERNEL AACO_BLOCKS(SlabTile::kThreads, 6) void gradients_kernel(AttentionGradArgs args) {
  using Tile = SlabTile;
  AACO_SHARED float weights_tile[Tile::kOther * Tile::kStride];
  AACO_SHARED float rows_tile[Tile::kOther * Tile::kStride];
  const AttentionArgs& forward = args.forward;
  const int32_t dim = forward.head_dim;
  const int32_t slabs = (dim + Tile::kDim - 1) / Tile::kDim;
  const int32_t first = static_cast<int32_t>(block_x()) / slabs * Tile::kOwn;
  const int32_t column = static_cast<int32_t>(block_x()) % slabs * Tile::kDim;
  const auto gradient = static_cast<Gradient>(block_z() % 3);
  const auto batch = static_cast<int32_t>(block_z() / 3);
  const int32_t group = forward.heads / forward.kv_heads;
  float sums[Tile::kOwnPer][Tile::kDimPer] = {};
  if (gradient == Gradient::kQuery) {
    const auto head = static_cast<int32_t>(block_y());
    if (first >= forward.q_len) {
      return;
    }
    const PairArrays pairs = pair_arrays(args, batch, head);
    const auto keys =
        slab(head_rows<T>(forward.k, forward.kv_layout, batch, head / group, forward.kv_len, dim), column);
    const int32_t last = first + Tile::kOwn < forward.q_len ? first + Tile::kOwn - 1 : forward.q_len - 1;
    const int32_t keys_end = keys_seen(forward, last);
    for (int32_t key = 0; key < keys_end; key += Tile::kOther) {
      sync_block();  // nobody reads the tiles before any more
      load_tile<Tile, Tile::kOwn>(columns_of(pairs.scores, key), first, weights_tile);
      load_tile<Tile, Tile::kOther>(keys, key, rows_tile);
      sync_block();
      add_weighted_rows<Tile>(weights_tile, rows_tile, sums);
    }
    scale_sums<Tile>(sums, forward.scale);
    store_rows<Tile>(sums, slab(head_rows<T>(args.dq, forward.q_layout, batch, head, forward.q_len, dim), column),
                     first);
    return;
  }
  const auto kv_head = static_cast<int32_t>(block_y());
  if (first >= forward.kv_len || kv_head >= forward.kv_heads) {
    return;
  }
  const bool of_key = gradient == Gradient::kKey;
  // From the tile of the first query row that sees the tile's first key.
  const int32_t sees = forward.causal != 0 ? first - (forward.kv_len - forward.q_len) : 0;
  const int32_t first_query = sees > 0 ? sees / Tile::kOther * Tile::kOther : 0;
  for (int32_t head = kv_head * group; head < (kv_head + 1) * group; ++head) {
    const PairArrays pairs = pair_arrays(args, batch, head);
    const auto weights = columns_of(of_key ? pairs.scores : pairs.weights, first);
    const auto rows = slab(of_key ? head_rows<T>(forward.q, forward.q_layout, batch, head, forward.q_len, dim)
                                  : head_rows<T>(args.out_grad, forward.out_layout, batch, head, forward.q_len, dim),
                           column);
    for (int32_t query = first_query; query < forward.q_len; query += Tile::kOther) {
      sync_block();
      load_tile<Tile, Tile::kOther>(weights, query, weights_tile);
      load_tile<Tile, Tile::kOther>(rows, query, rows_tile);
      sync_block();
      add_outer_products(weights_tile, rows_tile, sums);
    }
  }
  scale_sums<Tile>(sums, of_key ? forward.scale : 1);
  store_rows<Tile>(
      sums,
      slab(head_rows<T>(of_key ? args.dk : args.dv, forward.kv_layout, batch, kv_head, forward.kv_len, dim), column),
      first);
}

}  // namespace

void attend_grad_by_pairs(StreamContext& stream, const AttentionGradArgs& args) {
  const AttentionArgs& forward = args.forward;
  const auto tiles = [](int32_t rows, int tile) { return static_cast<uint32_t>((rows + tile - 1) / tile); };
  const auto heads = static_cast<uint32_t>(forward.heads);
  const auto batch = static_cast<uint32_t>(forward.batch);
  const uint32_t pair_tiles = tiles(forward.q_len, PairTile::kOwn) * tiles(forward.kv_len, PairTile::kOther);
  const int32_t most_rows = forward.q_len > forward.kv_len ? forward.q_len : forward.kv_len;
  const uint32_t row_tiles = tiles(most_rows, SlabTile::kOwn) * tiles(forward.head_dim, SlabTile::kDim);
  with_float_type(forward.dtype, [&]<class T>(T*) {
    constexpr size_t kShared = sizeof(float) * 2 * (PairTile::kOwn + PairTile::kOther) * PairTile::kStride;
    if (pair_tiles > 0) {
      launch<pairs_kernel<T>>(stream, {pair_tiles, heads, batch}, PairTile::kThreads, kShared, args);
    }
    if (row_tiles > 0) {
      launch<gradients_kernel<T>>(stream, {row_tiles, heads, batch * 3}, SlabTile::kThreads, 0, args);
    }
  });
}

}  // namespace aaco::gpu
