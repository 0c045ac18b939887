// SPDX-License-Identifier: MIT
// The gradient of attention as attention_grad.cu computes it, with its five products on matrix units. In both kernels a
// wave has 16 rows of the block's own tiles, and for 16 rows of the others at a time the products with both, the
// weights and the gradients of the scores, and what those add to its sums; all in registers. The next tiles of others
// come meanwhile where shared memory has room for two.
#include "device/kernels/attention/attention_grad_matrix_tile.h"
#include "device/kernels/attention/attention_matrix.h"
#include "device/kernels/attention/query_tiles.h"
#include "device/kernels/attention/turn_back.h"
#include "device/kernels/launch_bounds.h"

namespace aaco::gpu {

template <class Tile, class T, int kCount>
AACO_DEVICE void put_own(const MatrixProduct (&sums)[kCount], T* tile, int32_t first_column) {
  AACO_UNROLL
  for (int n = 0; n < kCount; ++n) {
    put_product(sums[n], tile + Tile::own_row() * Tile::kStride + first_column + n * kMatrixSide, Tile::kStride);
  }
}

// The wave's own rows, from row `first` of the head on, turned back.
template <class Tile, int kCount>
AACO_DEVICE void turn_own_back(const AttentionGradArgs& args, int32_t first, int32_t count, int32_t first_column,
                               MatrixProduct (&sums)[kCount]) {
  AACO_UNROLL
  for (int r = 0; r < kRowsOfLane; ++r) {
    const int32_t row = first + Tile::own_row() + row_of_lane(r);
    AACO_UNROLL
    for (int n = 0; n < kCount; ++n) {
      AACO_UNROLL
      for (int c = 0; c < kColumnsOfLane; c += 2) {
        const int32_t column = first_column + n * kMatrixSide + column_of_lane(c);
        turn_back(row < count ? args.turn : nullptr, row, args.forward.head_dim, column, sums[n].values[r][c],
                  sums[n].values[r][c + 1]);
      }
    }
  }
}

template <class T, class Tile>
AACO_KERNEL AACO_BLOCKS(Tile::kWaves* kWaveLanes, 2) void dq_matrix_kernel(AttentionGradArgs args) {
  AACO_DYNAMIC_SHARED(T, shared);
  const MatrixGradMemory<T, Tile> memory(shared);
  const AttentionArgs& forward = args.forward;
  const auto head = static_cast<int32_t>(block_y());
  const auto batch = static_cast<int32_t>(block_z());
  const int32_t kv_head = head / (forward.heads / forward.kv_heads);
  const int32_t dim = forward.head_dim;
  const int32_t first = static_cast<int32_t>(grid_x() - 1 - block_x()) * Tile::kOwn;
  const int32_t last = first + Tile::kOwn < forward.q_len ? first + Tile::kOwn - 1 : forward.q_len - 1;
  const auto keys = head_rows<T>(forward.k, forward.kv_layout, batch, kv_head, forward.kv_len, dim);
  const auto values = head_rows<T>(forward.v, forward.kv_layout, batch, kv_head, forward.kv_len, dim);
  copy_rows<Tile, Tile::kOwn>(head_rows<T>(forward.q, forward.q_layout, batch, head, forward.q_len, dim), first,
                              memory.own);
  copy_rows<Tile, Tile::kOwn>(head_rows<T>(args.out_grad, forward.out_layout, batch, head, forward.q_len, dim), first,
                              memory.own_second);
  OwnRows<T, Tile, Tile::kHeld> queries(memory.own);
  OwnRows<T, Tile, Tile::kHeld> out_grads(memory.own_second);
  const int64_t statistic = (static_cast<int64_t>(batch) * forward.heads + head) * forward.q_len;
  int32_t seen[kRowsOfLane];
  float log_sums[kRowsOfLane];
  float deltas[kRowsOfLane];
  AACO_UNROLL
  for (int r = 0; r < kRowsOfLane; ++r) {
    const int32_t row = first + Tile::own_row() + row_of_lane(r);
    const bool exists = row < forward.q_len;
    seen[r] = exists ? keys_seen(forward, row) : 0;
    log_sums[r] = exists ? forward.log_sum[statistic + row] : 0;
    deltas[r] = exists ? args.delta[statistic + row] : 0;
  }
  const PairScale scale(forward);
  MatrixProduct dq[Tile::kSteps];
  AACO_UNROLL
  for (MatrixProduct& sum : dq) {
    sum.clear();
  }
  const int32_t keys_end = keys_seen(forward, last);
  for_others<Tile>(
      memory, keys_end > 0 ? (keys_end + Tile::kOther - 1) / Tile::kOther : 0,
      [&](int32_t i, const OtherRows<T>& others) {
        copy_rows<Tile, Tile::kOther>(keys, i * Tile::kOther, others.first);
        copy_rows<Tile, Tile::kOther>(values, i * Tile::kOther, others.second);
      },
      [&](int32_t i, const OtherRows<T>& others) {
        if (i == 0) {
          queries.hold();
          out_grads.hold();
        }
        for (int n = 0; n < Tile::kOther; n += kMatrixSide) {
          const T* const key_rows = others.first + n * Tile::kStride;
          PairProducts pairs;
          multiply_pairs(queries, out_grads, key_rows, others.second + n * Tile::kStride, pairs);
          AACO_UNROLL
          for (int r = 0; r < kRowsOfLane; ++r) {
            AACO_UNROLL
            for (int c = 0; c < kColumnsOfLane; ++c) {
              const bool sees = i * Tile::kOther + n + column_of_lane(c) < seen[r];
              scale.take(sees, log_sums[r], deltas[r], pairs.weights[0].values[r][c], pairs.scores[0].values[r][c]);
            }
          }
          add_weighted<Tile>(left_of<T>(pairs.scores[0]), key_rows, dq);
        }
      });
  turn_own_back<Tile>(args, first, forward.q_len, 0, dq);
  put_own<Tile>(dq, memory.own, 0);
  store_own_rows<Tile, Tile::kDim>(memory.own, 0,
                                   head_rows<T>(args.dq, forward.q_layout, batch, head, forward.q_len, dim), first);
}

// The keys' and values' gradients so far, of the block's columns.
template <class T, class Tile>
struct MatrixKeyGrads {
  MatrixProduct dk[Tile::kColumns / kMatrixSide];
  MatrixProduct dv[Tile::kColumns / kMatrixSide];

  AACO_DEVICE void begin() {
    AACO_UNROLL
    for (int n = 0; n < Tile::kColumns / kMatrixSide; ++n) {
      dk[n].clear();
      dv[n].clear();
    }
  }

  // The query rows of the tiles, from row `query`. `first_key` is the wave's.
  template <class Own>
  AACO_DEVICE void add(const AttentionArgs& args, const Own& keys, const Own& values, const OtherRows<T>& others,
                       int32_t first_key, int32_t query, int32_t first_column) {
    const PairScale scale(args);
    for (int n = 0; n < Tile::kOther; n += kMatrixSide) {
      const T* const queries = others.first + n * Tile::kStride;
      const T* const out_grads = others.second + n * Tile::kStride;
      PairProducts pairs;
      multiply_pairs(keys, values, queries, out_grads, pairs);
      AACO_UNROLL
      for (int c = 0; c < kColumnsOfLane; ++c) {
        const int column = n + column_of_lane(c);
        const int32_t row = query + column;
        const int32_t seen = (row < args.q_len ? keys_seen(args, row) : 0) - first_key;
        const float log_sum = others.log_sums[column];
        const float delta = others.deltas[column];
        AACO_UNROLL
        for (int r = 0; r < kRowsOfLane; ++r) {
          scale.take(row_of_lane(r) < seen, log_sum, delta, pairs.weights[0].values[r][c],
                     pairs.scores[0].values[r][c]);
        }
      }
      add_weighted<Tile>(left_of<T>(pairs.weights[0]), out_grads + first_column, dv);
      add_weighted<Tile>(left_of<T>(pairs.scores[0]), queries + first_column, dk);
    }
  }
};

template <class T, class Tile>
AACO_DEVICE void fetch_queries(const AttentionGradArgs& args, int32_t batch, int32_t head, int32_t query,
                               const OtherRows<T>& others) {
  const AttentionArgs& forward = args.forward;
  const int32_t dim = forward.head_dim;
  copy_rows<Tile, Tile::kOther>(head_rows<T>(forward.q, forward.q_layout, batch, head, forward.q_len, dim), query,
                                others.first);
  copy_rows<Tile, Tile::kOther>(head_rows<T>(args.out_grad, forward.out_layout, batch, head, forward.q_len, dim), query,
                                others.second);
  const int64_t statistic = (static_cast<int64_t>(batch) * forward.heads + head) * forward.q_len;
  const auto i = static_cast<int>(thread_x());
  if (i < Tile::kOther) {
    const bool exists = query + i < forward.q_len;
    const int64_t place = exists ? statistic + query + i : 0;
    copy_async<4>(others.log_sums + i, forward.log_sum + place, exists);
    copy_async<4>(others.deltas + i, args.delta + place, exists);
  }
}

template <class T, class Tile>
AACO_KERNEL AACO_BLOCKS(Tile::kWaves* kWaveLanes, 2) void dkv_matrix_kernel(AttentionGradArgs args) {
  AACO_DYNAMIC_SHARED(T, shared);
  const MatrixGradMemory<T, Tile> memory(shared);
  const AttentionArgs& forward = args.forward;
  const auto kv_head = static_cast<int32_t>(block_y());
  const auto batch = static_cast<int32_t>(block_z());
  const int32_t dim = forward.head_dim;
  const int32_t first = static_cast<int32_t>(block_x()) / Tile::kParts * Tile::kOwn;
  const int32_t first_column = static_cast<int32_t>(block_x()) % Tile::kParts * Tile::kColumns;
  const int32_t first_head = kv_head * (forward.heads / forward.kv_heads);
  copy_rows<Tile, Tile::kOwn>(head_rows<T>(forward.k, forward.kv_layout, batch, kv_head, forward.kv_len, dim), first,
                              memory.own);
  copy_rows<Tile, Tile::kOwn>(head_rows<T>(forward.v, forward.kv_layout, batch, kv_head, forward.kv_len, dim), first,
                              memory.own_second);
  OwnRows<T, Tile, Tile::kHeld> keys(memory.own);
  OwnRows<T, Tile, Tile::kHeld> values(memory.own_second);
  MatrixKeyGrads<T, Tile> grads;
  grads.begin();
  const QueryTiles<Tile::kOther> queries(forward, first);
  for_others<Tile>(
      memory, queries.count,
      [&](int32_t i, const OtherRows<T>& others) {
        fetch_queries<T, Tile>(args, batch, first_head + i / queries.per_head, queries.row(i), others);
      },
      [&](int32_t i, const OtherRows<T>& others) {
        if (i == 0) {
          keys.hold();
          values.hold();
        }
        grads.add(forward, keys, values, others, first + Tile::own_row(), queries.row(i), first_column);
      });
  turn_own_back<Tile>(args, first, forward.kv_len, first_column, grads.dk);
  put_own<Tile>(grads.dk, memory.own, first_column);
  put_own<Tile>(grads.dv, memory.own_second, first_column);
  store_own_rows<Tile, Tile::kColumns>(
      memory.own, first_column, head_rows<T>(args.dk, forward.kv_layout, batch, kv_head, forward.kv_len, dim), first);
  store_own_rows<Tile, Tile::kColumns>(memory.own_second, first_column,
                                       head_rows<T>(args.dv, forward.kv_layout, batch, kv_head, forward.kv_len, dim),
                                       first);
}

namespace {

template <class T, class Tile>
void launch_grad(StreamContext& stream, const AttentionGradArgs& args) {
  const AttentionArgs& forward = args.forward;
  const auto tiles = [](int32_t rows) { return static_cast<uint32_t>((rows + Tile::kOwn - 1) / Tile::kOwn); };
  const auto batch = static_cast<uint32_t>(forward.batch);
  const auto threads = static_cast<uint32_t>(Tile::kWaves * stream.limits.wave_lanes);
  if (forward.q_len > 0) {
    launch<dq_matrix_kernel<T, Tile>>(stream, {tiles(forward.q_len), static_cast<uint32_t>(forward.heads), batch},
                                      threads, Tile::kBytes, args);
  }
  if (forward.kv_len > 0) {
    launch<dkv_matrix_kernel<T, Tile>>(
        stream, {tiles(forward.kv_len) * Tile::kParts, static_cast<uint32_t>(forward.kv_heads), batch}, threads,
        Tile::kBytes, args);
  }
}

template <class T>
void launch_for_dim(StreamContext& stream, const AttentionGradArgs& args) {
  if (args.forward.head_dim <= 64) {
    launch_grad<T, MatrixGradTile<64, 4, 64, 2>>(stream, args);
  } else if (args.forward.head_dim <= 128) {
    launch_grad<T, MatrixGradTile<128, 4, 16, 2>>(stream, args);
  } else {
    launch_grad<T, MatrixGradTile<256, 2, 16, 1>>(stream, args);
  }
}

}  // namespace

// The tiles fit into 64 KiB of shared memory, what AMD's devices have.
void attend_grad_on_matrix_units(StreamContext& stream, const AttentionGradArgs& args) {
  if (args.forward.dtype == Dtype::kF16) {
    launch_for_dim<Half>(stream, args);
  } else {
    launch_for_dim<Bfloat16>(stream, args);
  }
}

}  // namespace aaco::gpu
