// SPDX-License-Identifier: MIT
// Attention in one pass over the keys, as attention.cu does it, with both products on matrix units. A wave has 16 query
// rows; scores, weights and sums stay in its registers. Values come while scores are computed, and the next keys while
// values are summed.
#include "device/kernels/attention/attention_matrix.h"
#include "device/kernels/attention/attention_matrix_tile.h"
#include "device/kernels/launch_bounds.h"

namespace aaco::gpu {

// What a lane has of its query rows. Scores are in units of log 2; `total` is the lane's share of the row's sum.
template <class Tile>
struct MatrixSoftmax {
  float largest[kRowsOfLane];
  float total[kRowsOfLane];
  MatrixProduct sums[Tile::kSteps];

  AACO_DEVICE void begin() {
    AACO_UNROLL
    for (int r = 0; r < kRowsOfLane; ++r) {
      largest[r] = kMinusInfinity;
      total[r] = 0;
    }
    AACO_UNROLL
    for (MatrixProduct& sum : sums) {
      sum.clear();
    }
  }

  // Scores become weights.
  AACO_DEVICE void take(MatrixProduct (&scores)[Tile::kOthers]) {
    AACO_UNROLL
    for (int r = 0; r < kRowsOfLane; ++r) {
      const float kept = take_row(r, scores);
      AACO_UNROLL
      for (MatrixProduct& sum : sums) {
        AACO_UNROLL
        for (float& value : sum.values[r]) {
          value *= kept;
        }
      }
    }
  }

  // Sums become means.
  AACO_DEVICE void end(const AttentionArgs& args, int32_t first_row) {
    AACO_UNROLL
    for (int r = 0; r < kRowsOfLane; ++r) {
      const float sum = row_sum(total[r]);
      const float inverse = sum == 0 ? 0 : 1 / sum;
      AACO_UNROLL
      for (MatrixProduct& mean : sums) {
        AACO_UNROLL
        for (float& value : mean.values[r]) {
          value *= inverse;
        }
      }
      const int32_t row = first_row + row_of_lane(r);
      if (args.log_sum != nullptr && row < args.q_len && column_of_lane(0) == 0) {
        const int64_t head = static_cast<int64_t>(block_z()) * args.heads + block_y();
        args.log_sum[head * args.q_len + row] = sum == 0 ? kMinusInfinity : (largest[r] + log2f(sum)) * kLn2;
      }
    }
  }

 private:
  // The factor for the sums so far.
  AACO_DEVICE float take_row(int r, MatrixProduct (&scores)[Tile::kOthers]) {
    float most = largest[r];
    AACO_UNROLL
    for (const MatrixProduct& product : scores) {
      AACO_UNROLL
      for (const float score : product.values[r]) {
        most = score > most ? score : most;
      }
    }
    most = row_max(most);
    const float base = most == kMinusInfinity ? 0 : most;
    const float kept = exp2_fast(largest[r] - base);
    float added = 0;
    AACO_UNROLL
    for (MatrixProduct& product : scores) {
      AACO_UNROLL
      for (float& score : product.values[r]) {
        score = exp2_fast(score - base);
        added += score;
      }
    }
    largest[r] = most;
    total[r] = total[r] * kept + added;
    return kept;
  }
};

// Products become scores; those of keys that a row does not see, minus infinity. `first_row` is the wave's.
template <class Tile>
AACO_DEVICE void scale_and_mask(const AttentionArgs& args, int32_t first_row, int32_t first_key,
                                MatrixProduct (&scores)[Tile::kOthers]) {
  const float scale = args.scale * kLog2E;
  const bool all_seen = first_key + Tile::kOther <= keys_seen(args, first_row);  // by the row that sees least
  AACO_UNROLL
  for (int r = 0; r < kRowsOfLane; ++r) {
    const int32_t seen = keys_seen(args, first_row + row_of_lane(r)) - first_key;
    AACO_UNROLL
    for (int n = 0; n < Tile::kOthers; ++n) {
      AACO_UNROLL
      for (int c = 0; c < kColumnsOfLane; ++c) {
        const bool sees = all_seen || n * kMatrixSide + column_of_lane(c) < seen;
        scores[n].values[r][c] = sees ? scores[n].values[r][c] * scale : kMinusInfinity;
      }
    }
  }
}

template <class T, class Tile>
AACO_KERNEL AACO_BLOCKS(Tile::kWaves* kWaveLanes, 2) void attention_matrix_kernel(AttentionArgs args) {
  wait_for_previous();
  AACO_DYNAMIC_SHARED(T, memory);
  T* const own = memory;
  T* const keys_tile = own + Tile::kOwn * Tile::kStride;
  T* const values_tile = keys_tile + Tile::kOther * Tile::kStride;
  const auto head = static_cast<int32_t>(block_y());
  const auto batch = static_cast<int32_t>(block_z());
  const int32_t kv_head = head / (args.heads / args.kv_heads);
  // The tiles that see most begin first.
  const int32_t first_row = static_cast<int32_t>(grid_x() - 1 - block_x()) * Tile::kOwn;
  const int32_t last_row = first_row + Tile::kOwn < args.q_len ? first_row + Tile::kOwn - 1 : args.q_len - 1;
  const int32_t keys_end = keys_seen(args, last_row);
  const auto keys = head_rows<T>(args.k, args.kv_layout, batch, kv_head, args.kv_len, args.head_dim);
  const auto values = head_rows<T>(args.v, args.kv_layout, batch, kv_head, args.kv_len, args.head_dim);
  copy_rows<Tile, Tile::kOwn>(head_rows<T>(args.q, args.q_layout, batch, head, args.q_len, args.head_dim), first_row,
                              own);
  copy_rows<Tile, Tile::kOther>(keys, 0, keys_tile);
  OwnRows<T, Tile, Tile::kDim <= 128> queries(own);
  MatrixSoftmax<Tile> softmax;
  softmax.begin();
  for (int32_t key = 0; key < keys_end; key += Tile::kOther) {
    wait_for_copies();
    sync_block();  // the keys are there, and nobody reads the values before any more
    copy_rows<Tile, Tile::kOther>(values, key, values_tile);
    if (key == 0) {
      queries.hold();
    }
    MatrixProduct scores[Tile::kOthers];
    multiply_own(queries, keys_tile, scores);
    wait_for_copies();
    sync_block();  // the values are there, and nobody reads the keys any more
    copy_rows<Tile, Tile::kOther>(keys, key + Tile::kOther, keys_tile);
    scale_and_mask<Tile>(args, first_row + Tile::own_row(), key, scores);
    softmax.take(scores);
    AACO_UNROLL
    for (int n = 0; n < Tile::kOthers; ++n) {
      add_weighted<Tile>(left_of<T>(scores[n]), values_tile + n * kMatrixSide * Tile::kStride, softmax.sums);
    }
  }
  wait_for_copies();
  sync_block();
  softmax.end(args, first_row + Tile::own_row());
  AACO_UNROLL
  for (int n = 0; n < Tile::kSteps; ++n) {
    put_product(softmax.sums[n], own + Tile::own_row() * Tile::kStride + n * kMatrixSide, Tile::kStride);
  }
  store_own_rows<Tile, Tile::kDim>(
      own, 0, head_rows<T>(args.out, args.out_layout, batch, head, args.q_len, args.head_dim), first_row);
}

namespace {

template <class T, class Tile>
void launch_attention(StreamContext& stream, const AttentionArgs& args) {
  constexpr size_t kShared = sizeof(T) * (Tile::kOwn + 2 * Tile::kOther) * Tile::kStride;
  const auto tiles = static_cast<uint32_t>((args.q_len + Tile::kOwn - 1) / Tile::kOwn);
  const auto threads = static_cast<uint32_t>(Tile::kWaves * stream.limits.wave_lanes);
  launch_behind<attention_matrix_kernel<T, Tile>>(
      stream, {tiles, static_cast<uint32_t>(args.heads), static_cast<uint32_t>(args.batch)}, threads, kShared, args);
}

template <class T>
void launch_for_dim(StreamContext& stream, const AttentionArgs& args) {
  if (args.head_dim <= 64) {
    launch_attention<T, MatrixTile<64, 4, 64>>(stream, args);
  } else if (args.head_dim <= 128) {
    launch_attention<T, MatrixTile<128, 4, 64>>(stream, args);
  } else {
    launch_attention<T, MatrixTile<256, 4, 16>>(stream, args);
  }
}

}  // namespace

// The tiles fit into 64 KiB of shared memory, what AMD's devices have.
void attend_on_matrix_units(StreamContext& stream, const AttentionArgs& args) {
  if (args.dtype == Dtype::kF16) {
    launch_for_dim<Half>(stream, args);
  } else {
    launch_for_dim<Bfloat16>(stream, args);
  }
}

}  // namespace aaco::gpu
