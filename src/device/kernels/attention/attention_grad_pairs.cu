// SPDX-License-Identifier: MIT
// The gradient of attention where there is memory for a number per pair of a query and a key: attention_pairs.cu
// computes the weights and the gradients of the scores, a kernel here all three gradients from them, a block per tile
// of rows and slab of columns. Five products, where attention_grad.cu needs seven. Tiles in shared memory, see
// attention_tile.h; their columns are those of a slab of the head.
#include "device/kernels/attention/attention_grad_pairs.h"
#include "device/kernels/attention/attention_grad_tile.h"
#include "device/kernels/attention/attention_pair_arrays.h"
#include "device/kernels/launch_bounds.h"

namespace aaco::gpu {

namespace {

// Rows of queries or keys, whose own rows are packs: the weights of a pack lie side by side.
struct SlabTile : AttentionTile<64, 64, 32, 8, 8> {
  static constexpr int kOuterStride = kOwn + 4;  // of a tile of weights whose rows are the other ones
  static AACO_DEVICE int own_pack(int i) { return (i * kOwnSide + own_place()) * 4; }
  static AACO_DEVICE int own_row(int i) { return own_pack(i / 4) + i % 4; }
};

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
      weight[i] = four_at(weights, r * Tile::kOuterStride + Tile::own_pack(i));
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

// Two pairs of a tile of weights and one of rows: while one is multiplied the other comes.
struct SlabMemory {
  using Tile = SlabTile;
  static constexpr int kOfOwn = Tile::kOwn * Tile::kPairStride;
  static constexpr int kOfOther = Tile::kOther * Tile::kOuterStride;
  static constexpr int kWeights = kOfOwn > kOfOther ? kOfOwn : kOfOther;
  static constexpr int kFloats = 2 * (kWeights + Tile::kOther * Tile::kStride);

  float* memory;
  int at = 0;

  AACO_DEVICE float* weights() const { return memory + at; }
  AACO_DEVICE float* rows() const { return memory + at + kWeights; }
  AACO_DEVICE void turn() { at = kFloats / 2 - at; }
};

// sums = the gradients of queries: own rows of the scores' gradients times keys.
template <class T>
AACO_DEVICE void add_keys(const HeadRows<const float>& scores, const HeadRows<const T>& keys, int32_t first,
                          int32_t keys_end, SlabMemory tiles, float (&sums)[SlabTile::kOwnPer][SlabTile::kDimPer]) {
  using Tile = SlabTile;
  const auto bring = [&](int32_t key) {
    bring_tile<Tile::kThreads, Tile::kOwn, Tile::kOther, Tile::kPairStride>(columns_from(scores, key), first,
                                                                            tiles.weights());
    bring_tile<Tile::kThreads, Tile::kOther, Tile::kDim, Tile::kStride>(keys, key, tiles.rows());
  };
  bring(0);
  for (int32_t key = 0; key < keys_end; key += Tile::kOther) {
    wait_for_copies();
    sync_block();  // the tiles are there, and nobody reads the ones before any more
    const float* const weights = tiles.weights();
    const float* const rows = tiles.rows();
    tiles.turn();
    if (key + Tile::kOther < keys_end) {
      bring(key + Tile::kOther);
    }
    add_weighted_rows<Tile>(weights, rows, sums);
  }
}

// sums += the gradients of keys or values: columns of pairs times rows, from `first_query` on.
template <class T>
AACO_DEVICE void add_queries(const HeadRows<const float>& pairs, const HeadRows<const T>& queries, int32_t first_query,
                             SlabMemory tiles, float (&sums)[SlabTile::kOwnPer][SlabTile::kDimPer]) {
  using Tile = SlabTile;
  const auto bring = [&](int32_t query) {
    bring_tile<Tile::kThreads, Tile::kOther, Tile::kOwn, Tile::kOuterStride>(pairs, query, tiles.weights());
    bring_tile<Tile::kThreads, Tile::kOther, Tile::kDim, Tile::kStride>(queries, query, tiles.rows());
  };
  sync_block();  // nobody reads the tiles of another head any more
  bring(first_query);
  for (int32_t query = first_query; query < queries.count; query += Tile::kOther) {
    wait_for_copies();
    sync_block();
    const float* const weights = tiles.weights();
    const float* const rows = tiles.rows();
    tiles.turn();
    if (query + Tile::kOther < queries.count) {
      bring(query + Tile::kOther);
    }
    add_outer_products(weights, rows, sums);
  }
}

template <class T>
AACO_KERNEL AACO_BLOCKS(SlabTile::kThreads, 6) void gradients_kernel(AttentionGradArgs args) {
  using Tile = SlabTile;
  AACO_DYNAMIC_SHARED(float, memory);
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
    const int32_t last = first + Tile::kOwn < forward.q_len ? first + Tile::kOwn - 1 : forward.q_len - 1;
    const auto keys = head_rows<T>(forward.k, forward.kv_layout, batch, head / group, forward.kv_len, dim);
    add_keys(pair_arrays<const float>(args, batch, head).scores, columns_from(keys, column), first,
             keys_seen(forward, last), {memory}, sums);
    scale_sums<Tile>(sums, forward.scale);
    turn_sums_back<Tile>(args, first, forward.q_len, column, sums);
    store_rows<Tile>(
        sums, columns_from(head_rows<T>(args.dq, forward.q_layout, batch, head, forward.q_len, dim), column), first);
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
    const auto pairs = pair_arrays<const float>(args, batch, head);
    const auto rows = of_key ? head_rows<T>(forward.q, forward.q_layout, batch, head, forward.q_len, dim)
                             : head_rows<T>(args.out_grad, forward.out_layout, batch, head, forward.q_len, dim);
    add_queries(columns_from(of_key ? pairs.scores : pairs.weights, first), columns_from(rows, column), first_query,
                {memory}, sums);
  }
  scale_sums<Tile>(sums, of_key ? forward.scale : 1);
  if (of_key) {
    turn_sums_back<Tile>(args, first, forward.kv_len, column, sums);
  }
  store_rows<Tile>(
      sums,
      columns_from(head_rows<T>(of_key ? args.dk : args.dv, forward.kv_layout, batch, kv_head, forward.kv_len, dim),
                   column),
      first);
}

}  // namespace

void attend_grad_by_pairs(StreamContext& stream, const AttentionGradArgs& args) {
  compute_pairs(stream, args);
  const AttentionArgs& forward = args.forward;
  const auto tiles = [](int32_t rows, int tile) { return static_cast<uint32_t>((rows + tile - 1) / tile); };
  const int32_t most_rows = forward.q_len > forward.kv_len ? forward.q_len : forward.kv_len;
  const uint32_t blocks = tiles(most_rows, SlabTile::kOwn) * tiles(forward.head_dim, SlabTile::kDim);
  if (blocks == 0) {
    return;
  }
  with_float_type(forward.dtype, [&]<class T>(T*) {
    const Dim3 grid{blocks, static_cast<uint32_t>(forward.heads), static_cast<uint32_t>(forward.batch) * 3};
    launch<gradients_kernel<T>>(stream, grid, SlabTile::kThreads, sizeof(float) * SlabMemory::kFloats, args);
  });
}

}  // namespace aaco::gpu
