// SPDX-License-Identifier: MIT
// The weights and the gradients of the scores of all pairs of a query and a key, to memory: a block per tile of pairs.
// The rows come in slabs of columns, in shared memory, see attention_tile.h.
#include "device/kernels/attention/attention_grad_pairs.h"
#include "device/kernels/attention/attention_grad_tile.h"
#include "device/kernels/attention/attention_pair_arrays.h"
#include "device/kernels/launch_bounds.h"

namespace aaco::gpu {

namespace {

using PairTile = AttentionTile<32, 64, 64, 16, 8>;

// Rows of queries and keys, or of the output's gradients and values, whose products a block computes.
template <class T>
struct Factors {
  HeadRows<const T> own;
  HeadRows<const T> other;
};

// A block's products, first those of the weights, then those of the scores' gradients; while a slab of columns is
// multiplied the next one comes.
template <class T>
struct PairProducts {
  using Tile = PairTile;
  static constexpr int kSlab = (Tile::kOwn + Tile::kOther) * Tile::kStride;
  static constexpr size_t kOthers = size_t{Tile::kOwn} * Tile::kStride;  // where the other rows begin in it

  Factors<T> factors[2];
  int32_t first_own;
  int32_t first_other;
  int32_t slabs;
  float* memory;  // two slabs

  AACO_DEVICE float* slab(int32_t step) const {
    const int32_t place = step % 2 * kSlab;
    return memory + place;
  }

  AACO_DEVICE void bring(int32_t step) const {
    const bool of_weights = step < slabs;
    const int32_t column = (of_weights ? step : step - slabs) * Tile::kDim;
    float* const tile = slab(step);
    bring_tile<Tile::kThreads, Tile::kOwn, Tile::kDim, Tile::kStride>(
        columns_from(of_weights ? factors[0].own : factors[1].own, column), first_own, tile);
    bring_tile<Tile::kThreads, Tile::kOther, Tile::kDim, Tile::kStride>(
        columns_from(of_weights ? factors[0].other : factors[1].other, column), first_other, tile + kOthers);
  }

  AACO_DEVICE void multiply(int32_t first_step, float (&products)[Tile::kOwnPer][Tile::kOtherPer]) const {
    for (int32_t step = first_step; step < first_step + slabs; ++step) {
      wait_for_copies();
      sync_block();  // the slab is there, and nobody reads the one before any more
      if (step + 1 < 2 * slabs) {
        bring(step + 1);
      }
      const float* const tile = slab(step);
      add_row_products<Tile>(tile, tile + kOthers, Tile::kDim, products);
    }
  }
};

template <class T>
AACO_DEVICE PairProducts<T> pair_products(const AttentionGradArgs& args, int64_t batch, int64_t head, int32_t first,
                                          int32_t key, float* memory) {
  const AttentionArgs& forward = args.forward;
  const int64_t kv_head = head / (forward.heads / forward.kv_heads);
  const int32_t dim = forward.head_dim;
  return {{{head_rows<T>(forward.q, forward.q_layout, batch, head, forward.q_len, dim),
            head_rows<T>(forward.k, forward.kv_layout, batch, kv_head, forward.kv_len, dim)},
           {head_rows<T>(args.out_grad, forward.out_layout, batch, head, forward.q_len, dim),
            head_rows<T>(forward.v, forward.kv_layout, batch, kv_head, forward.kv_len, dim)}},
          first,
          key,
          (dim + PairTile::kDim - 1) / PairTile::kDim,
          memory};
}

// Where a tile of pairs begins.
struct PairPlace {
  int32_t first_own;
  int32_t first_other;
  int64_t statistic;  // of the batch and head
};

// Of the pairs that there are; 0 where a query does not see the key. kWhole: all are there and are seen.
template <bool kWhole>
AACO_DEVICE void store_weights(const AttentionGradArgs& args, const PairArrays<float>& pairs, const PairPlace& place,
                               const float (&products)[PairTile::kOwnPer][PairTile::kOtherPer]) {
  using Tile = PairTile;
  const AttentionArgs& forward = args.forward;
  const int32_t first_key = place.first_other + Tile::other_row(0);
  float* weights = pairs.weights.data + (place.first_own + Tile::own_row(0)) * pairs.weights.stride + first_key;
  AACO_UNROLL
  for (int i = 0; i < Tile::kOwnPer; ++i) {
    const int32_t row = place.first_own + Tile::own_row(i);
    if (kWhole || row < forward.q_len) {
      const RowStatistics statistics = row_statistics(args, place.statistic + row);
      const int32_t seen = keys_seen(forward, row);
      AACO_UNROLL
      for (int j = 0; j < Tile::kOtherPer; ++j) {
        const int32_t at = j * Tile::kOtherSide;
        const int32_t key = first_key + at;
        const float weight = pair_weight(forward.scale * kLog2E, statistics, products[i][j]);
        if (kWhole || key < forward.kv_len) {
          weights[at] = kWhole || key < seen ? weight : 0;
        }
      }
    }
    weights += Tile::kOwnSide * pairs.weights.stride;
  }
}

// From the weights, which the same threads have stored. kWhole: all pairs are there.
template <bool kWhole>
AACO_DEVICE void store_score_grads(const AttentionGradArgs& args, const PairArrays<float>& pairs,
                                   const PairPlace& place,
                                   const float (&products)[PairTile::kOwnPer][PairTile::kOtherPer]) {
  using Tile = PairTile;
  const AttentionArgs& forward = args.forward;
  const int32_t first_key = place.first_other + Tile::other_row(0);
  int64_t pair = (place.first_own + Tile::own_row(0)) * pairs.weights.stride + first_key;
  AACO_UNROLL
  for (int i = 0; i < Tile::kOwnPer; ++i) {
    const int32_t row = place.first_own + Tile::own_row(i);
    if (kWhole || row < forward.q_len) {
      const RowStatistics statistics = row_statistics(args, place.statistic + row);
      const float* const weights = pairs.weights.data + pair;
      float* const scores = pairs.scores.data + pair;
      float weight[Tile::kOtherPer];
      AACO_UNROLL
      for (int j = 0; j < Tile::kOtherPer; ++j) {
        const int32_t at = j * Tile::kOtherSide;
        weight[j] = kWhole || first_key + at < forward.kv_len ? weights[at] : 0;
      }
      AACO_UNROLL
      for (int j = 0; j < Tile::kOtherPer; ++j) {
        const int32_t at = j * Tile::kOtherSide;
        if (kWhole || first_key + at < forward.kv_len) {
          scores[at] = score_grad(statistics, weight[j], products[i][j]);
        }
      }
    }
    pair += Tile::kOwnSide * pairs.weights.stride;
  }
}

template <class T>
AACO_KERNEL AACO_BLOCKS(PairTile::kThreads, 4) void pairs_kernel(AttentionGradArgs args) {
  using Tile = PairTile;
  AACO_DYNAMIC_SHARED(float, memory);
  const AttentionArgs& forward = args.forward;
  const auto head = static_cast<int32_t>(block_y());
  const auto batch = static_cast<int32_t>(block_z());
  const int32_t key_tiles = (forward.kv_len + Tile::kOther - 1) / Tile::kOther;
  const int32_t first = static_cast<int32_t>(block_x()) / key_tiles * Tile::kOwn;
  const int32_t key = static_cast<int32_t>(block_x()) % key_tiles * Tile::kOther;
  const int32_t last = first + Tile::kOwn < forward.q_len ? first + Tile::kOwn - 1 : forward.q_len - 1;
  if (key >= keys_seen(forward, last)) {
    return;
  }
  const PairProducts<T> block = pair_products<T>(args, batch, head, first, key, memory);
  const auto pairs = pair_arrays<float>(args, batch, head);
  const PairPlace place{first, key, (static_cast<int64_t>(batch) * forward.heads + head) * forward.q_len};
  const bool exist = first + Tile::kOwn <= forward.q_len && key + Tile::kOther <= forward.kv_len;
  block.bring(0);
  {
    float products[Tile::kOwnPer][Tile::kOtherPer] = {};
    block.multiply(0, products);
    if (exist && key + Tile::kOther <= keys_seen(forward, first)) {
      store_weights<true>(args, pairs, place, products);
    } else {
      store_weights<false>(args, pairs, place, products);
    }
  }
  float products[Tile::kOwnPer][Tile::kOtherPer] = {};
  block.multiply(block.slabs, products);
  if (exist) {
    store_score_grads<true>(args, pairs, place, products);
  } else {
    store_score_grads<false>(args, pairs, place, products);
  }
}

}  // namespace

void compute_pairs(StreamContext& stream, const AttentionGradArgs& args) {
  const AttentionArgs& forward = args.forward;
  const auto tiles = [](int32_t rows, int tile) { return static_cast<uint32_t>((rows + tile - 1) / tile); };
  const uint32_t blocks = tiles(forward.q_len, PairTile::kOwn) * tiles(forward.kv_len, PairTile::kOther);
  if (blocks == 0) {
    return;
  }
  with_float_type(forward.dtype, [&]<class T>(T*) {
    const Dim3 grid{blocks, static_cast<uint32_t>(forward.heads), static_cast<uint32_t>(forward.batch)};
    launch<pairs_kernel<T>>(stream, grid, PairTile::kThreads, sizeof(float) * 2 * PairProducts<T>::kSlab, args);
  });
}

}  // namespace aaco::gpu
