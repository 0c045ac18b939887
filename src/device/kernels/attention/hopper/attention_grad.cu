// SPDX-License-Identifier: MIT
// The gradient of attention as attention_grad_matrix.cu computes it, by warpgroups: a block is one, with a tile of 64
// rows of its own, and goes through tiles of 64 others, the next of which come meanwhile. Blocks of queries compute
// delta on their way.
#include "device/kernels/attention/attention_warpgroup.h"
#include "device/kernels/attention/hopper/attention_slab_tile.h"
#include "device/kernels/attention/query_tiles.h"
#include "device/kernels/attention/turn_back.h"
#include "device/kernels/launch_bounds.h"

namespace aaco::gpu {

namespace {

// Two own tiles, then for each of two stages two of others and their statistics.
template <class T, int kDim>
struct SlabGradMemory {
  static constexpr int kTile = kTileElements<kDim>;
  static constexpr int kStatistics = 2 * kSlabRows;  // fp32 a stage: log-sums, deltas
  static constexpr size_t kBytes = sizeof(uint16_t) * 6 * kTile + sizeof(float) * 2 * kStatistics + kTileAlignment;

  T* own;  // queries, or keys

  AACO_DEVICE T* own_second() const { return own + kTile; }  // out_grad, or values
  AACO_DEVICE T* other(int32_t i) const { return own + (2 + i % 2 * 2) * kTile; }
  AACO_DEVICE T* other_second(int32_t i) const { return other(i) + kTile; }
  AACO_DEVICE float* log_sums(int32_t i) const {
    return reinterpret_cast<float*>(own + 6 * kTile) + i % 2 * kStatistics;
  }
  AACO_DEVICE float* deltas(int32_t i) const { return log_sums(i) + kSlabRows; }
};

// Rows from `first` on turned back.
template <int kDim>
AACO_DEVICE void turn_product_back(const float* turn, int32_t first, int32_t count, WarpgroupProduct<kDim>& product) {
  AACO_UNROLL
  for (int r = 0; r < 2; ++r) {
    const int32_t row = first + row_of_thread(r);
    AACO_UNROLL
    for (int n = 0; n < kDim / 8; ++n) {
      float(&four)[4] = product.values[n];
      turn_back(row < count ? turn : nullptr, row, kDim, column_of_thread(n, 0), four[2 * r], four[2 * r + 1]);
    }
  }
}

template <int kDim>
AACO_DEVICE void scale_product(float factor, WarpgroupProduct<kDim>& product) {
  AACO_UNROLL
  for (auto& four : product.values) {
    AACO_UNROLL
    for (float& value : four) {
      value *= factor;
    }
  }
}

// fetch(i) begins to bring tile i of others, take(i) uses it, for all i below `count`.
template <class Fetch, class Take>
AACO_DEVICE void for_tiles(int32_t count, const Fetch& fetch, const Take& take) {
  if (count > 0) {
    fetch(0);
  }
  for (int32_t i = 0; i < count; ++i) {
    wait_for_copies();
    publish_to_products();
    sync_block();  // tile i is there, and nobody reads the one before any more
    if (i + 1 < count) {
      fetch(i + 1);
    }
    take(i);
  }
  wait_for_copies();
  sync_block();
}

// Of 64 query rows out and out_grad on their way from memory, two threads a row, for the rows' deltas.
template <class T, int kDim>
struct DeltaRows {
  static constexpr int kPacks = kDim / 2 / kRowPack;
  RawPack<T, kRowPack> outs[kPacks];
  RawPack<T, kRowPack> grads[kPacks];
  bool exists;

  // Of a row that does not exist, the first.
  AACO_DEVICE void fetch(const AttentionGradArgs& args, int32_t batch, int32_t head, int32_t row) {
    const AttentionArgs& forward = args.forward;
    exists = row < forward.q_len;
    const int64_t place = batch * forward.out_layout.batch + (exists ? row : 0) * forward.out_layout.row +
                          head * forward.out_layout.head + thread_x() % 2 * (kDim / 2);
    AACO_UNROLL
    for (int i = 0; i < kPacks; ++i) {
      outs[i].fetch(static_cast<const T*>(forward.out), place + i * kRowPack);
      grads[i].fetch(static_cast<const T*>(args.out_grad), place + i * kRowPack);
    }
  }

  // The sum of out * out_grad over the row.
  AACO_DEVICE float delta() const {
    float sum = 0;
    AACO_UNROLL
    for (int i = 0; i < kPacks; ++i) {
      AACO_UNROLL
      for (int j = 0; j < kRowPack; ++j) {
        sum += outs[i].value(j) * grads[i].value(j);
      }
    }
    sum += shuffle_xor(sum, 1);
    return exists ? sum : 0;
  }
};

AACO_DEVICE int row_of_pair() { return static_cast<int>(thread_x() / 2); }

// Products become the gradients of scores, but for the scale.
struct QueryStatistics {
  float log_sums[2];  // in units of log 2
  float deltas[2];

  AACO_DEVICE void weigh(const AttentionArgs& args, WarpgroupProduct<kSlabRows>& weights) const {
    const float in_log2 = args.scale * kLog2E;
    AACO_UNROLL
    for (auto& four : weights.values) {
      AACO_UNROLL
      for (int i = 0; i < 4; ++i) {
        four[i] = exp2_fast(four[i] * in_log2 - log_sums[i / 2]);
      }
    }
  }

  AACO_DEVICE void take(const AttentionArgs& args, int32_t first_row, int32_t first_key,
                        const WarpgroupProduct<kSlabRows>& weights, WarpgroupProduct<kSlabRows>& scores) const {
    const bool all_seen =
        first_key + kSlabRows <= keys_seen(args, first_row) && first_row + kSlabRows <= args.q_len;
    AACO_UNROLL
    for (int r = 0; r < 2; ++r) {
      const int32_t row = first_row + row_of_thread(r);
      const int32_t seen = (row < args.q_len ? keys_seen(args, row) : 0) - first_key;
      AACO_UNROLL
      for (int n = 0; n < kSlabRows / 8; ++n) {
        AACO_UNROLL
        for (int c = 0; c < 2; ++c) {
          float& score = scores.values[n][2 * r + c];
          const bool sees = all_seen || column_of_thread(n, c) < seen;
          score = sees ? weights.values[n][2 * r + c] * (score - deltas[r]) : 0;
        }
      }
    }
  }
};

// The gradient of 64 queries of a head, and their deltas.
template <class T, int kDim>
AACO_DEVICE void query_block(const AttentionGradArgs& args, const SlabGradMemory<T, kDim>& memory, int32_t batch,
                             int32_t head, int32_t first) {
  const AttentionArgs& forward = args.forward;
  const int32_t kv_head = head / (forward.heads / forward.kv_heads);
  const int32_t last = first + kSlabRows < forward.q_len ? first + kSlabRows - 1 : forward.q_len - 1;
  const auto keys = head_rows<T>(forward.k, forward.kv_layout, batch, kv_head, forward.kv_len, kDim);
  const auto values = head_rows<T>(forward.v, forward.kv_layout, batch, kv_head, forward.kv_len, kDim);
  copy_tile<kDim>(head_rows<T>(forward.q, forward.q_layout, batch, head, forward.q_len, kDim), first, memory.own);
  copy_tile<kDim>(head_rows<T>(args.out_grad, forward.out_layout, batch, head, forward.q_len, kDim), first,
                  memory.own_second());
  const int64_t statistic = (static_cast<int64_t>(batch) * forward.heads + head) * forward.q_len;
  DeltaRows<T, kDim> rows;
  rows.fetch(args, batch, head, first + row_of_pair());
  const float delta = rows.delta();
  if (thread_x() % 2 == 0) {
    memory.deltas(0)[row_of_pair()] = delta;
    if (first + row_of_pair() < forward.q_len) {
      args.delta[statistic + first + row_of_pair()] = delta;
    }
  }
  sync_block();
  QueryStatistics statistics;
  AACO_UNROLL
  for (int r = 0; r < 2; ++r) {
    const int32_t row = first + row_of_thread(r);
    statistics.log_sums[r] = row < forward.q_len ? forward.log_sum[statistic + row] * kLog2E : 0;
    statistics.deltas[r] = memory.deltas(0)[row_of_thread(r)];
  }
  WarpgroupProduct<kDim> dq;
  dq.clear();
  const int32_t keys_end = keys_seen(forward, last);
  for_tiles(
      keys_end > 0 ? (keys_end + kSlabRows - 1) / kSlabRows : 0,
      [&](int32_t i) {
        copy_tile<kDim>(keys, i * kSlabRows, memory.other(i));
        copy_tile<kDim>(values, i * kSlabRows, memory.other_second(i));
      },
      [&](int32_t i) {
        WarpgroupProduct<kSlabRows> weights;
        WarpgroupProduct<kSlabRows> scores;
        begin_products();
        multiply_rows<kDim>(memory.own, memory.other(i), weights);
        end_products();
        multiply_rows<kDim>(memory.own_second(), memory.other_second(i), scores);
        end_products();
        wait_for_products<1>();  // the weights' come first
        statistics.weigh(forward, weights);
        wait_for_products<0>();
        statistics.take(forward, first, i * kSlabRows, weights, scores);
        uint32_t words[kSlabRows / 16][4];
        weight_words<T>(scores, words);
        begin_products();
        add_weighted_tile(words, memory.other(i), dq);
        end_products();
        wait_for_products<0>();
      });
  scale_product(forward.scale, dq);
  turn_product_back(args.turn, first, forward.q_len, dq);
  store_product<kDim>(dq, memory.own, head_rows<T>(args.dq, forward.q_layout, batch, head, forward.q_len, kDim), first);
}

// 64 query rows to stage i; of their deltas, only what is in memory already.
template <bool kHasDeltas, class T, int kDim>
AACO_DEVICE void fetch_queries(const AttentionGradArgs& args, int32_t batch, int32_t head, int32_t query,
                               const SlabGradMemory<T, kDim>& memory, int32_t i) {
  const AttentionArgs& forward = args.forward;
  copy_tile<kDim>(head_rows<T>(forward.q, forward.q_layout, batch, head, forward.q_len, kDim), query, memory.other(i));
  copy_tile<kDim>(head_rows<T>(args.out_grad, forward.out_layout, batch, head, forward.q_len, kDim), query,
                  memory.other_second(i));
  const int64_t statistic = (static_cast<int64_t>(batch) * forward.heads + head) * forward.q_len;
  const auto at = static_cast<int>(thread_x() % kSlabRows);
  const bool exists = query + at < forward.q_len;
  const int64_t place = exists ? statistic + query + at : 0;
  if (thread_x() < kSlabRows) {
    copy_async<4>(memory.log_sums(i) + at, forward.log_sum + place, exists);
  } else if (kHasDeltas) {
    copy_async<4>(memory.deltas(i) + at, args.delta + place, exists);
  }
}

// The transposed pairs of a tile of keys and one of queries: a product becomes weights, of those that are seen.
AACO_DEVICE void weigh_columns(const AttentionArgs& args, int32_t first_key, int32_t query, const float* log_sums,
                               WarpgroupProduct<kSlabRows>& weights) {
  const float in_log2 = args.scale * kLog2E;
  const bool all_seen = query + kSlabRows <= args.q_len && first_key + kSlabRows <= keys_seen(args, query);
  AACO_UNROLL
  for (int n = 0; n < kSlabRows / 8; ++n) {
    AACO_UNROLL
    for (int c = 0; c < 2; ++c) {
      const int32_t row = query + column_of_thread(n, c);
      const int32_t seen = (row < args.q_len ? keys_seen(args, row) : 0) - first_key;
      const float log_sum = log_sums[column_of_thread(n, c)] * kLog2E;
      AACO_UNROLL
      for (int r = 0; r < 2; ++r) {
        float& weight = weights.values[n][2 * r + c];
        weight = all_seen || row_of_thread(r) < seen ? exp2_fast(weight * in_log2 - log_sum) : 0;
      }
    }
  }
}

// Products become the gradients of scores, but for the scale.
AACO_DEVICE void take_columns(const float* deltas, const WarpgroupProduct<kSlabRows>& weights,
                              WarpgroupProduct<kSlabRows>& scores) {
  AACO_UNROLL
  for (int n = 0; n < kSlabRows / 8; ++n) {
    AACO_UNROLL
    for (int c = 0; c < 2; ++c) {
      const float delta = deltas[column_of_thread(n, c)];
      AACO_UNROLL
      for (int r = 0; r < 2; ++r) {
        float& score = scores.values[n][2 * r + c];
        const float weight = weights.values[n][2 * r + c];
        score = weight == 0 ? 0 : weight * (score - delta);
      }
    }
  }
}

// The gradients of 64 keys and values of a head of keys. Deltas are in memory, or worked out on the way.
template <bool kHasDeltas, class T, int kDim>
AACO_DEVICE void key_block(const AttentionGradArgs& args, const SlabGradMemory<T, kDim>& memory, int32_t batch,
                           int32_t kv_head, int32_t first) {
  const AttentionArgs& forward = args.forward;
  const int32_t first_head = kv_head * (forward.heads / forward.kv_heads);
  copy_tile<kDim>(head_rows<T>(forward.k, forward.kv_layout, batch, kv_head, forward.kv_len, kDim), first, memory.own);
  copy_tile<kDim>(head_rows<T>(forward.v, forward.kv_layout, batch, kv_head, forward.kv_len, kDim), first,
                  memory.own_second());
  WarpgroupProduct<kDim> dk;
  WarpgroupProduct<kDim> dv;
  dk.clear();
  dv.clear();
  const QueryTiles<kSlabRows> queries(forward, first);
  [[maybe_unused]] DeltaRows<T, kHasDeltas ? 2 * kRowPack : kDim> coming;
  const auto fetch_deltas = [&](int32_t i) {
    if constexpr (!kHasDeltas) {
      coming.fetch(args, batch, first_head + i / queries.per_head, queries.row(i) + row_of_pair());
    }
  };
  const auto put_deltas = [&](int32_t i) {
    if constexpr (!kHasDeltas) {
      const float delta = coming.delta();
      if (thread_x() % 2 == 0) {
        memory.deltas(i)[row_of_pair()] = delta;
      }
    }
  };
  for_tiles(
      queries.count,
      [&](int32_t i) {
        fetch_queries<kHasDeltas>(args, batch, first_head + i / queries.per_head, queries.row(i), memory, i);
        fetch_deltas(i);
        if (i == 0) {
          put_deltas(i);
        }
      },
      [&](int32_t i) {
        WarpgroupProduct<kSlabRows> weights;
        WarpgroupProduct<kSlabRows> scores;
        begin_products();
        multiply_rows<kDim>(memory.own, memory.other(i), weights);
        end_products();
        multiply_rows<kDim>(memory.own_second(), memory.other_second(i), scores);
        end_products();
        wait_for_products<1>();  // the weights' come first
        weigh_columns(forward, first, queries.row(i), memory.log_sums(i), weights);
        uint32_t words[kSlabRows / 16][4];
        weight_words<T>(weights, words);
        wait_for_products<0>();
        begin_products();
        add_weighted_tile(words, memory.other_second(i), dv);
        end_products();
        take_columns(memory.deltas(i), weights, scores);
        uint32_t grad_words[kSlabRows / 16][4];
        weight_words<T>(scores, grad_words);
        begin_products();
        add_weighted_tile(grad_words, memory.other(i), dk);
        end_products();
        if (i + 1 < queries.count) {
          put_deltas(i + 1);
        }
        wait_for_products<0>();
      });
  scale_product(forward.scale, dk);
  turn_product_back(args.turn, first, forward.kv_len, dk);
  store_product<kDim>(dk, memory.own, head_rows<T>(args.dk, forward.kv_layout, batch, kv_head, forward.kv_len, kDim),
                      first);
  store_product<kDim>(dv, memory.own_second(),
                      head_rows<T>(args.dv, forward.kv_layout, batch, kv_head, forward.kv_len, kDim), first);
}

template <class T, int kDim>
AACO_KERNEL AACO_BLOCKS(kWarpgroup, 2) void dq_warpgroup_kernel(AttentionGradArgs args) {
  AACO_DYNAMIC_SHARED(unsigned char, shared);
  wait_for_previous();
  const SlabGradMemory<T, kDim> memory{aligned_tiles<T>(shared)};
  const TilePlace place(block_x(), args.forward.heads, args.forward.batch);
  query_block(args, memory, place.batch, place.head, last_tiles_first(place.tile, args.forward.q_len));
}

template <class T, int kDim>
AACO_KERNEL AACO_BLOCKS(kWarpgroup, 2) void dkv_warpgroup_kernel(AttentionGradArgs args) {
  AACO_DYNAMIC_SHARED(unsigned char, shared);
  wait_for_previous();
  const SlabGradMemory<T, kDim> memory{aligned_tiles<T>(shared)};
  const TilePlace place(block_x(), args.forward.kv_heads, args.forward.batch);
  key_block<true>(args, memory, place.batch, place.head, place.tile * kSlabRows);
}

// Both, for heads so narrow that registers have room for coming deltas: the blocks of keys, which have more to do, then
// those of queries.
template <class T, int kDim>
AACO_KERNEL AACO_BLOCKS(kWarpgroup, 2) void grad_warpgroup_kernel(AttentionGradArgs args) {
  AACO_DYNAMIC_SHARED(unsigned char, shared);
  wait_for_previous();
  const SlabGradMemory<T, kDim> memory{aligned_tiles<T>(shared)};
  const AttentionArgs& forward = args.forward;
  const uint32_t key_blocks = tiles_of(forward.kv_len) * static_cast<uint32_t>(forward.kv_heads * forward.batch);
  if (block_x() < key_blocks) {
    const TilePlace place(block_x(), forward.kv_heads, forward.batch);
    key_block<false>(args, memory, place.batch, place.head, place.tile * kSlabRows);
    return;
  }
  const TilePlace place(block_x() - key_blocks, forward.heads, forward.batch);
  query_block(args, memory, place.batch, place.head, last_tiles_first(place.tile, forward.q_len));
}

template <class T, int kDim>
void launch_grad(StreamContext& stream, const AttentionGradArgs& args) {
  const AttentionArgs& forward = args.forward;
  const auto batch = static_cast<uint32_t>(forward.batch);
  const uint32_t query_blocks = tiles_of(forward.q_len) * static_cast<uint32_t>(forward.heads) * batch;
  const uint32_t key_blocks = tiles_of(forward.kv_len) * static_cast<uint32_t>(forward.kv_heads) * batch;
  constexpr size_t kBytes = SlabGradMemory<T, kDim>::kBytes;
  if constexpr (kDim == 64) {
    if (key_blocks + query_blocks > 0) {
      launch_behind<grad_warpgroup_kernel<T, kDim>>(stream, {key_blocks + query_blocks, 1, 1}, kWarpgroup, kBytes, args);
    }
  } else {
    if (query_blocks > 0) {
      launch_behind<dq_warpgroup_kernel<T, kDim>>(stream, {query_blocks, 1, 1}, kWarpgroup, kBytes, args);
    }
    if (key_blocks > 0) {
      launch_behind<dkv_warpgroup_kernel<T, kDim>>(stream, {key_blocks, 1, 1}, kWarpgroup, kBytes, args);
    }
  }
}

}  // namespace

bool attend_grad_by_warpgroups(StreamContext& stream, const AttentionGradArgs& args) {
  const bool aligned = (reinterpret_cast<uintptr_t>(args.out_grad) | reinterpret_cast<uintptr_t>(args.dq) |
                        reinterpret_cast<uintptr_t>(args.dk) | reinterpret_cast<uintptr_t>(args.dv)) % 16 == 0;
  if (!aligned || !takes_warpgroups(stream, args.forward)) {
    return false;
  }
  const auto for_type = [&]<class T>(T*) {
    args.forward.head_dim == 64 ? launch_grad<T, 64>(stream, args) : launch_grad<T, 128>(stream, args);
  };
  args.forward.dtype == Dtype::kF16 ? for_type(static_cast<Half*>(nullptr)) : for_type(static_cast<Bfloat16*>(nullptr));
  return true;
}

}  // namespace aaco::gpu
