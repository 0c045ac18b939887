// SPDX-License-Identifier: MIT
// Attention in one pass over the keys (Dao et al., FlashAttention, 2022): a block has a tile of query rows, and for
// each tile of keys the scores, the weights relative to the largest score so far, and the sum of values so far, which
// is scaled down when a larger score comes. fp32 multiply-adds; no score leaves the block. The narrow types where the
// device has matrix units: attention_matrix.cu.
#include "device/gpu/run_on_gpu.h"
#include "device/kernels/attention/attention_matrix.h"
#include "device/kernels/attention/attention_tile.h"
#include "device/kernels/attention/attention_warpgroup.h"
#include "device/kernels/launch_bounds.h"

namespace aaco::gpu {

// What a thread has of its query rows. Scores are in units of log 2; `total` is the thread's share of the row's sum.
template <class Tile>
struct RunningSoftmax {
  float largest[Tile::kOwnPer];
  float total[Tile::kOwnPer];
  float sums[Tile::kOwnPer][Tile::kDimPer];

  AACO_DEVICE void begin() {
    AACO_UNROLL
    for (int i = 0; i < Tile::kOwnPer; ++i) {
      largest[i] = kMinusInfinity;
      total[i] = 0;
      AACO_UNROLL
      for (int c = 0; c < Tile::kDimPer; ++c) {
        sums[i][c] = 0;
      }
    }
  }

  // Scores of row i become weights.
  AACO_DEVICE void take(int i, float (&scores)[Tile::kOtherPer]) {
    float most = largest[i];
    AACO_UNROLL
    for (int j = 0; j < Tile::kOtherPer; ++j) {
      most = scores[j] > most ? scores[j] : most;
    }
    most = side_max<Tile>(most);
    const float base = most == kMinusInfinity ? 0 : most;  // where no key was seen yet
    const float kept = exp2_fast(largest[i] - base);
    float added = 0;
    AACO_UNROLL
    for (int j = 0; j < Tile::kOtherPer; ++j) {
      scores[j] = exp2_fast(scores[j] - base);
      added += scores[j];
    }
    largest[i] = most;
    total[i] = total[i] * kept + added;
    AACO_UNROLL
    for (int c = 0; c < Tile::kDimPer; ++c) {
      sums[i][c] *= kept;
    }
  }

  // Sums become means.
  AACO_DEVICE void end(const AttentionArgs& args, int32_t first_row) {
    AACO_UNROLL
    for (int i = 0; i < Tile::kOwnPer; ++i) {
      const float sum = side_sum<Tile>(total[i]);
      const float inverse = sum == 0 ? 0 : 1 / sum;
      AACO_UNROLL
      for (int c = 0; c < Tile::kDimPer; ++c) {
        sums[i][c] *= inverse;
      }
      const int32_t row = first_row + Tile::own_row(i);
      if (args.log_sum != nullptr && row < args.q_len && Tile::other_row(0) == 0) {
        const int64_t head = static_cast<int64_t>(block_z()) * args.heads + block_y();
        args.log_sum[head * args.q_len + row] = sum == 0 ? kMinusInfinity : (largest[i] + log2f(sum)) * kLn2;
      }
    }
  }
};

template <class T, class Tile>
AACO_KERNEL AACO_BLOCKS(Tile::kThreads, 2) void attention_kernel(AttentionArgs args) {
  AACO_DYNAMIC_SHARED(float, memory);
  float* const own = memory;
  float* const other = own + Tile::kOwn * Tile::kStride;
  float* const pairs = other + Tile::kOther * Tile::kStride;
  const auto head = static_cast<int32_t>(block_y());
  const auto batch = static_cast<int32_t>(block_z());
  const int32_t kv_head = head / (args.heads / args.kv_heads);
  // The tiles that see most begin first.
  const int32_t first_row = static_cast<int32_t>(grid_x() - 1 - block_x()) * Tile::kOwn;
  const int32_t last_row = first_row + Tile::kOwn < args.q_len ? first_row + Tile::kOwn - 1 : args.q_len - 1;
  const int32_t keys_end = keys_seen(args, last_row);
  const auto keys = head_rows<T>(args.k, args.kv_layout, batch, kv_head, args.kv_len, args.head_dim);
  const auto values = head_rows<T>(args.v, args.kv_layout, batch, kv_head, args.kv_len, args.head_dim);
  {
    TileLoad<Tile, Tile::kOwn> queries;
    queries.fetch(head_rows<T>(args.q, args.q_layout, batch, head, args.q_len, args.head_dim), first_row);
    queries.scale(args.scale * kLog2E);
    queries.put(own);
  }
  RunningSoftmax<Tile> softmax;
  softmax.begin();
  TileLoad<Tile, Tile::kOther> coming;
  coming.fetch(keys, 0);
  for (int32_t key = 0; key < keys_end; key += Tile::kOther) {
    sync_block();  // nobody reads the values before any more
    coming.put(other);
    sync_block();
    coming.fetch(values, key);
    float scores[Tile::kOwnPer][Tile::kOtherPer];
    multiply_rows<Tile>(own, other, args.head_dim, scores);
    if (key + Tile::kOther > keys_seen(args, first_row)) {
      AACO_UNROLL
      for (int i = 0; i < Tile::kOwnPer; ++i) {
        const int32_t seen = keys_seen(args, first_row + Tile::own_row(i));
        AACO_UNROLL
        for (int j = 0; j < Tile::kOtherPer; ++j) {
          scores[i][j] = key + Tile::other_row(j) < seen ? scores[i][j] : kMinusInfinity;
        }
      }
    }
    AACO_UNROLL
    for (int i = 0; i < Tile::kOwnPer; ++i) {
      softmax.take(i, scores[i]);
    }
    put_pairs<Tile>(scores, pairs);
    sync_block();  // nor the keys
    coming.put(other);
    sync_block();
    coming.fetch(keys, key + Tile::kOther);
    add_weighted_rows<Tile>(pairs, other, softmax.sums);
  }
  softmax.end(args, first_row);
  store_rows<Tile>(softmax.sums, head_rows<T>(args.out, args.out_layout, batch, head, args.q_len, args.head_dim),
                   first_row);
}

namespace {

template <class Tile>
constexpr size_t kSharedBytes =
    sizeof(float) * ((Tile::kOwn + Tile::kOther) * Tile::kStride + Tile::kOwn * Tile::kPairStride);

template <class T, class Tile>
void launch_attention(StreamContext& stream, const AttentionArgs& args) {
  const auto tiles = static_cast<uint32_t>((args.q_len + Tile::kOwn - 1) / Tile::kOwn);
  launch<attention_kernel<T, Tile>>(stream,
                                    {tiles, static_cast<uint32_t>(args.heads), static_cast<uint32_t>(args.batch)},
                                    Tile::kThreads, kSharedBytes<Tile>, args);
}

template <class T, class Large, class Small>
void launch_what_fits(StreamContext& stream, const AttentionArgs& args) {
  if constexpr (kSharedBytes<Large> <= kMostSharedBytes) {
    if (kSharedBytes<Large> <= stream.limits.shared_bytes) {
      return launch_attention<T, Large>(stream, args);
    }
  }
  launch_attention<T, Small>(stream, args);
}

}  // namespace

// The smaller tiles fit into 64 KiB of shared memory, what AMD's devices have.
void run_on_gpu(StreamContext& stream, const AttentionArgs& args) {
  if (args.batch == 0 || args.heads == 0 || args.q_len == 0) {
    return;
  }
  if (attend_by_warpgroups(stream, args)) {
    return;
  }
  if (stream.limits.matrix_units && args.dtype != Dtype::kF32) {
    return attend_on_matrix_units(stream, args);
  }
  with_float_type(args.dtype, [&]<class T>(T*) {
    if (args.head_dim <= 64) {
      launch_attention<T, AttentionTile<64, 64, 64, 16, 8>>(stream, args);
    } else if (args.head_dim <= 128) {
      launch_attention<T, AttentionTile<128, 32, 64, 8, 16>>(stream, args);
    } else {
      launch_what_fits<T, AttentionTile<256, 32, 32, 8, 16>, AttentionTile<256, 32, 16, 16, 16>>(stream, args);
    }
  });
}

}  // namespace aaco::gpu
