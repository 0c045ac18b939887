// SPDX-License-Identifier: MIT
// Attention in one pass over the keys, as attention_matrix.cu does it, by warpgroups: a block is one, with a tile of 64
// query rows, and goes through tiles of 64 keys. The next tiles of keys and values come meanwhile.
#include "device/kernels/attention/attention_warpgroup.h"
#include "device/kernels/attention/hopper/attention_slab_tile.h"
#include "device/kernels/launch_bounds.h"

namespace aaco::gpu {

namespace {

// What a thread has of its query rows. Scores are in units of log 2; `total` is the thread's share of the row's sum.
struct WarpgroupSoftmax {
  float largest[2] = {kMinusInfinity, kMinusInfinity};
  float total[2] = {};

  // Scores become weights; sums are scaled as the new largest asks.
  template <int kDim>
  AACO_DEVICE void take(WarpgroupProduct<kSlabRows>& scores, WarpgroupProduct<kDim>& sums) {
    AACO_UNROLL
    for (int r = 0; r < 2; ++r) {
      float most = largest[r];
      AACO_UNROLL
      for (const auto& four : scores.values) {
        most = fmaxf(most, fmaxf(four[2 * r], four[2 * r + 1]));
      }
      most = row_max(most);
      const float base = most == kMinusInfinity ? 0 : most;
      const float kept = exp2_fast(largest[r] - base);
      float added = 0;
      AACO_UNROLL
      for (auto& four : scores.values) {
        AACO_UNROLL
        for (int c = 0; c < 2; ++c) {
          four[2 * r + c] = exp2_fast(four[2 * r + c] - base);
          added += four[2 * r + c];
        }
      }
      largest[r] = most;
      total[r] = total[r] * kept + added;
      AACO_UNROLL
      for (auto& four : sums.values) {
        four[2 * r] *= kept;
        four[2 * r + 1] *= kept;
      }
    }
  }

  // Sums become means; the log-sums where they are asked for.
  template <int kDim>
  AACO_DEVICE void end(const AttentionArgs& args, const TilePlace& place, int32_t first_row, WarpgroupProduct<kDim>& sums) {
    AACO_UNROLL
    for (int r = 0; r < 2; ++r) {
      const float sum = row_sum(total[r]);
      const float inverse = sum == 0 ? 0 : 1 / sum;
      AACO_UNROLL
      for (auto& four : sums.values) {
        four[2 * r] *= inverse;
        four[2 * r + 1] *= inverse;
      }
      const int32_t row = first_row + row_of_thread(r);
      if (args.log_sum != nullptr && row < args.q_len && lane() % 4 == 0) {
        const int64_t head = static_cast<int64_t>(place.batch) * args.heads + place.head;
        args.log_sum[head * args.q_len + row] = sum == 0 ? kMinusInfinity : (largest[r] + log2f(sum)) * kLn2;
      }
    }
  }
};

// Products become scores; those of keys that a row does not see, minus infinity.
AACO_DEVICE void scale_and_mask(const AttentionArgs& args, int32_t first_row, int32_t first_key,
                                WarpgroupProduct<kSlabRows>& scores) {
  const float scale = args.scale * kLog2E;
  const bool all_seen = first_key + kSlabRows <= keys_seen(args, first_row);  // by the row that sees least
  AACO_UNROLL
  for (int r = 0; r < 2; ++r) {
    const int32_t seen = keys_seen(args, first_row + row_of_thread(r)) - first_key;
    AACO_UNROLL
    for (int n = 0; n < kSlabRows / 8; ++n) {
      AACO_UNROLL
      for (int c = 0; c < 2; ++c) {
        float& score = scores.values[n][2 * r + c];
        score = all_seen || column_of_thread(n, c) < seen ? score * scale : kMinusInfinity;
      }
    }
  }
}

template <int kDim>
constexpr size_t kAttentionBytes = sizeof(uint16_t) * 5 * kTileElements<kDim> + kTileAlignment;

template <class T, int kDim>
AACO_KERNEL AACO_BLOCKS(kWarpgroup, 2) void attention_warpgroup_kernel(AttentionArgs args) {
  wait_for_previous();
  AACO_DYNAMIC_SHARED(unsigned char, shared);
  T* const own = aligned_tiles<T>(shared);
  const auto keys_tile = [&](int32_t i) { return own + (1 + i % 2 * 2) * kTileElements<kDim>; };
  const auto values_tile = [&](int32_t i) { return keys_tile(i) + kTileElements<kDim>; };
  const TilePlace place(block_x(), args.heads, args.batch);
  const auto [tile, head, batch] = place;
  const int32_t kv_head = head / (args.heads / args.kv_heads);
  const int32_t first = last_tiles_first(tile, args.q_len);
  const int32_t last = first + kSlabRows < args.q_len ? first + kSlabRows - 1 : args.q_len - 1;
  const int32_t keys_end = keys_seen(args, last);
  const auto keys = head_rows<T>(args.k, args.kv_layout, batch, kv_head, args.kv_len, kDim);
  const auto values = head_rows<T>(args.v, args.kv_layout, batch, kv_head, args.kv_len, kDim);
  const auto fetch = [&](int32_t i) {
    copy_tile<kDim>(keys, i * kSlabRows, keys_tile(i));
    copy_tile<kDim>(values, i * kSlabRows, values_tile(i));
  };
  copy_tile<kDim>(head_rows<T>(args.q, args.q_layout, batch, head, args.q_len, kDim), first, own);
  const int32_t count = keys_end > 0 ? (keys_end + kSlabRows - 1) / kSlabRows : 0;
  if (count > 0) {
    fetch(0);
  }
  WarpgroupSoftmax softmax;
  WarpgroupProduct<kDim> sums;
  sums.clear();
  for (int32_t i = 0; i < count; ++i) {
    wait_for_copies();
    publish_to_products();
    sync_block();  // tile i is there, and nobody reads the one before any more
    if (i + 1 < count) {
      fetch(i + 1);
    }
    WarpgroupProduct<kSlabRows> scores;
    begin_products();
    multiply_rows<kDim>(own, keys_tile(i), scores);
    end_products();
    wait_for_products<0>();
    scale_and_mask(args, first, i * kSlabRows, scores);
    softmax.take(scores, sums);
    uint32_t weights[kSlabRows / 16][4];
    weight_words<T>(scores, weights);
    begin_products();
    add_weighted_tile(weights, values_tile(i), sums);
    end_products();
    wait_for_products<0>();
  }
  wait_for_copies();
  sync_block();
  softmax.end(args, place, first, sums);
  store_product<kDim>(sums, own, head_rows<T>(args.out, args.out_layout, batch, head, args.q_len, kDim), first);
}

template <class T, int kDim>
void launch_attention(StreamContext& stream, const AttentionArgs& args) {
  const uint32_t blocks = tiles_of(args.q_len) * static_cast<uint32_t>(args.heads * args.batch);
  launch_behind<attention_warpgroup_kernel<T, kDim>>(stream, {blocks, 1, 1}, kWarpgroup, kAttentionBytes<kDim>, args);
}

}  // namespace

bool attend_by_warpgroups(StreamContext& stream, const AttentionArgs& args) {
  if (!takes_warpgroups(stream, args)) {
    return false;
  }
  const auto for_type = [&]<class T>(T*) {
    args.head_dim == 64 ? launch_attention<T, 64>(stream, args) : launch_attention<T, 128>(stream, args);
  };
  args.dtype == Dtype::kF16 ? for_type(static_cast<Half*>(nullptr)) : for_type(static_cast<Bfloat16*>(nullptr));
  return true;
}

}  // namespace aaco::gpu
