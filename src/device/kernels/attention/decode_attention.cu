// SPDX-License-Identifier: MIT
// Attention of one query row per sequence over its cache, and appending to the cache. What counts is how fast the cache
// is read: once, 16 bytes a load, by teams of threads that each have a row of keys and values at a time, for up to
// kHeads query heads that share it. A sequence is split over several blocks, whose results a second kernel joins.
#include <cmath>
#include <limits>

#include "device/gpu/run_on_gpu.h"
#include "device/ops/attention.h"
#include "device/kernels/launch_bounds.h"
#include "device/kernels/row_teams.h"

namespace aaco::gpu {

inline constexpr int kDecodeBlock = 128;
inline constexpr float kNoScore = -std::numeric_limits<float>::infinity();

// A thread has columns [(c * kTeam + place) * kPack, + kPack) for each chunk c.
template <class Cache, int kPackValue, int kTeamValue, int kChunksValue, int kHeadsValue>
struct DecodeShape {
  using Element = Cache;
  static constexpr int kPack = kPackValue;
  static constexpr int kTeam = kTeamValue;
  static constexpr int kChunks = kChunksValue;
  static constexpr int kHeads = kHeadsValue;
  static constexpr int kPer = kPack * kChunks;
  static constexpr int kDim = kPer * kTeam;
  static constexpr int kTeams = kDecodeBlock / kTeam;

  static AACO_DEVICE int column(int i) {
    return (i / kPack * kTeam + static_cast<int>(thread_x()) % kTeam) * kPack + i % kPack;
  }
};

AACO_DEVICE float load_any(const void* data, Dtype dtype, int64_t i) {
  switch (dtype) {
    case Dtype::kF16:
      return load(static_cast<const Half*>(data), i);
    case Dtype::kBf16:
      return load(static_cast<const Bfloat16*>(data), i);
    default:
      return load(static_cast<const float*>(data), i);
  }
}

AACO_DEVICE void store_any(void* data, Dtype dtype, int64_t i, float value) {
  switch (dtype) {
    case Dtype::kF16:
      return store(static_cast<Half*>(data), i, value);
    case Dtype::kBf16:
      return store(static_cast<Bfloat16*>(data), i, value);
    default:
      return store(static_cast<float*>(data), i, value);
  }
}

// A thread's part of a row of the cache; 0 where the row does not exist or is shorter.
template <class Shape>
AACO_DEVICE void load_cache_row(const typename Shape::Element* row, int32_t dim, bool exists,
                                float (&values)[Shape::kPer]) {
  AACO_UNROLL
  for (int c = 0; c < Shape::kPer; c += Shape::kPack) {
    if (exists && Shape::column(c) < dim) {
      load_pack<Shape::kPack>(row, Shape::column(c), values + c);
    } else {
      AACO_UNROLL
      for (int j = 0; j < Shape::kPack; ++j) {
        values[c + j] = 0;
      }
    }
  }
}

// One head's softmax as far as a team, a block or a split has come; scores in units of log 2.
struct PartialSoftmax {
  float largest = kNoScore;
  float total = 0;

  // How much of what there was, and of what is added, stays.
  AACO_DEVICE float rescale(float most) const { return largest == kNoScore ? 0 : exp2f(largest - most); }
};

template <class Shape>
struct TeamState {
  float query[Shape::kHeads][Shape::kPer];
  float sums[Shape::kHeads][Shape::kPer];
  PartialSoftmax softmax[Shape::kHeads];

  AACO_DEVICE void begin(const DecodeAttentionArgs& args, int64_t first_head, int32_t heads) {
    AACO_UNROLL
    for (int h = 0; h < Shape::kHeads; ++h) {
      AACO_UNROLL
      for (int i = 0; i < Shape::kPer; ++i) {
        const bool exists = h < heads && Shape::column(i) < args.head_dim;
        const int64_t place = (first_head + h) * args.head_dim + Shape::column(i);
        query[h][i] = exists ? load_any(args.q, args.dtype, place) * (args.scale * 1.44269504F) : 0;
        sums[h][i] = 0;
      }
    }
  }

  // All threads of a wave come here equally often, since the sums go over its lanes.
  AACO_DEVICE void take(const float (&key)[Shape::kPer], const float (&value)[Shape::kPer], bool exists) {
    AACO_UNROLL
    for (int h = 0; h < Shape::kHeads; ++h) {
      float score = 0;
      AACO_UNROLL
      for (int i = 0; i < Shape::kPer; ++i) {
        score += query[h][i] * key[i];
      }
      AACO_UNROLL
      for (int mask = Shape::kTeam / 2; mask > 0; mask /= 2) {
        score += shuffle_xor(score, mask);
      }
      if (exists) {
        add(h, score, value);
      }
    }
  }

 private:
  AACO_DEVICE void add(int h, float score, const float (&value)[Shape::kPer]) {
    if (score > softmax[h].largest) {
      const float kept = softmax[h].rescale(score);
      softmax[h].largest = score;
      softmax[h].total *= kept;
      AACO_UNROLL
      for (int i = 0; i < Shape::kPer; ++i) {
        sums[h][i] *= kept;
      }
    }
    const float weight = exp2f(score - softmax[h].largest);
    softmax[h].total += weight;
    AACO_UNROLL
    for (int i = 0; i < Shape::kPer; ++i) {
      sums[h][i] += weight * value[i];
    }
  }
};

// A head's result over some rows of the cache: sums, the largest score, the total; dim + 2 floats.
struct PartialRow {
  float* sums;
  int32_t dim;
  AACO_DEVICE PartialSoftmax softmax() const { return {sums[dim], sums[dim + 1]}; }
};

// Column d of `count` partial rows that lie `stride` floats apart, joined.
struct JoinedColumn {
  PartialSoftmax softmax;
  float sum = 0;
};

AACO_DEVICE JoinedColumn join(const float* rows, int64_t stride, int count, int32_t dim, int32_t d) {
  JoinedColumn result;
  for (int i = 0; i < count; ++i) {
    const float largest = rows[i * stride + dim];
    result.softmax.largest = largest > result.softmax.largest ? largest : result.softmax.largest;
  }
  for (int i = 0; i < count; ++i) {
    const float* row = rows + i * stride;
    const float kept = PartialSoftmax{row[dim], row[dim + 1]}.rescale(result.softmax.largest);
    result.softmax.total += kept * row[dim + 1];
    result.sum += kept * row[d];
  }
  return result;
}

AACO_DEVICE float mean_of(const JoinedColumn& joined) {
  return joined.softmax.total == 0 ? 0 : joined.sum / joined.softmax.total;
}

// What the block's teams have, joined, to `out` or to the split's part of `partial`.
template <class Shape>
AACO_DEVICE void finish(const DecodeAttentionArgs& args, const TeamState<Shape>& state, int64_t first_head,
                        int32_t heads, float* memory) {
  const auto thread = static_cast<int>(thread_x());
  constexpr int64_t kRow = Shape::kDim + 2;
  AACO_UNROLL
  for (int h = 0; h < Shape::kHeads; ++h) {
    float* row = memory + (h * Shape::kTeams + thread / Shape::kTeam) * kRow;
    AACO_UNROLL
    for (int i = 0; i < Shape::kPer; ++i) {
      row[Shape::column(i)] = state.sums[h][i];
    }
    if (thread % Shape::kTeam == 0) {
      row[Shape::kDim] = state.softmax[h].largest;
      row[Shape::kDim + 1] = state.softmax[h].total;
    }
  }
  sync_block();
  for (int i = thread; i < heads * args.head_dim; i += kDecodeBlock) {
    const int h = i / args.head_dim;
    const int32_t d = i % args.head_dim;
    const JoinedColumn joined = join(memory + h * Shape::kTeams * kRow, kRow, Shape::kTeams, Shape::kDim, d);
    if (args.splits <= 1) {
      store_any(args.out, args.dtype, (first_head + h) * args.head_dim + d, mean_of(joined));
      continue;
    }
    float* row = args.partial + ((first_head + h) * args.splits + block_x()) * (args.head_dim + 2);
    row[d] = joined.sum;
    if (d == 0) {
      row[args.head_dim] = joined.softmax.largest;
      row[args.head_dim + 1] = joined.softmax.total;
    }
  }
}

template <class Shape>
AACO_KERNEL AACO_BLOCKS(kDecodeBlock, 2) void decode_kernel(DecodeAttentionArgs args) {
  AACO_DYNAMIC_SHARED(float, memory);
  using Element = typename Shape::Element;
  const int32_t group = args.heads / args.kv_heads;
  const int32_t parts = (group + Shape::kHeads - 1) / Shape::kHeads;  // of a group
  const auto batch = static_cast<int64_t>(block_z());
  const int32_t kv_head = static_cast<int32_t>(block_y()) / parts;
  const int32_t first_member = static_cast<int32_t>(block_y()) % parts * Shape::kHeads;
  const int32_t heads = group - first_member < Shape::kHeads ? group - first_member : Shape::kHeads;
  const int64_t cache = batch * args.kv_heads + kv_head;
  const int64_t first_head = cache * group + first_member;
  int64_t length = args.lengths[batch];
  length = length < 0 ? 0 : length > args.capacity ? args.capacity : length;
  const int64_t splits = args.splits > 1 ? args.splits : 1;
  const int64_t start = length * block_x() / splits;
  const int64_t end = length * (block_x() + 1) / splits;

  TeamState<Shape> state;
  state.begin(args, first_head, heads);
  const Element* keys = static_cast<const Element*>(args.k_cache) + cache * args.capacity * args.head_dim;
  const Element* values = static_cast<const Element*>(args.v_cache) + cache * args.capacity * args.head_dim;
  constexpr int kRows = Shape::kPer > 8 || Shape::kHeads > 4 ? 2 : 4;  // on their way at once
  for (int64_t row = start; row < end; row += kRows * Shape::kTeams) {
    float key[kRows][Shape::kPer];
    float value[kRows][Shape::kPer];
    const int64_t own = row + thread_x() / Shape::kTeam;
    AACO_UNROLL
    for (int i = 0; i < kRows; ++i) {
      const int64_t at = own + i * Shape::kTeams;
      load_cache_row<Shape>(keys + at * args.head_dim, args.head_dim, at < end, key[i]);
      load_cache_row<Shape>(values + at * args.head_dim, args.head_dim, at < end, value[i]);
    }
    AACO_UNROLL
    for (int i = 0; i < kRows; ++i) {
      state.take(key[i], value[i], own + i * Shape::kTeams < end);
    }
  }
  finish<Shape>(args, state, first_head, heads, memory);
}

AACO_KERNEL void join_splits_kernel(DecodeAttentionArgs args) {
  const auto head = static_cast<int64_t>(block_x());
  const int64_t stride = args.head_dim + 2;
  for (auto d = static_cast<int32_t>(thread_x()); d < args.head_dim; d += kDecodeBlock) {
    const JoinedColumn joined = join(args.partial + head * args.splits * stride, stride, args.splits, args.head_dim, d);
    store_any(args.out, args.dtype, head * args.head_dim + d, mean_of(joined));
  }
}

namespace {

template <class Shape>
void launch_decode(StreamContext& stream, const DecodeAttentionArgs& args) {
  constexpr size_t kShared = sizeof(float) * Shape::kHeads * Shape::kTeams * (Shape::kDim + 2);
  const int32_t parts = (args.heads / args.kv_heads + Shape::kHeads - 1) / Shape::kHeads;
  const auto splits = static_cast<uint32_t>(args.splits > 1 ? args.splits : 1);
  launch<decode_kernel<Shape>>(
      stream, {splits, static_cast<uint32_t>(args.kv_heads * parts), static_cast<uint32_t>(args.batch)}, kDecodeBlock,
      kShared, args);
  if (splits > 1) {
    launch<join_splits_kernel>(stream, {static_cast<uint32_t>(args.batch * args.heads), 1, 1}, kDecodeBlock, 0, args);
  }
}

// As many heads at once as share a cache and as registers hold; a larger group reads the cache again.
template <class Cache, int kPack, int kTeam, int kChunks>
void launch_for_heads(StreamContext& stream, const DecodeAttentionArgs& args) {
  constexpr bool kRoomForEight = kPack * kChunks <= 8;
  const int32_t group = args.heads / args.kv_heads;
  if (group == 1) {
    launch_decode<DecodeShape<Cache, kPack, kTeam, kChunks, 1>>(stream, args);
  } else if (group == 2) {
    launch_decode<DecodeShape<Cache, kPack, kTeam, kChunks, 2>>(stream, args);
  } else if (group <= 4 || !kRoomForEight) {
    launch_decode<DecodeShape<Cache, kPack, kTeam, kChunks, 4>>(stream, args);
  } else {
    launch_decode<DecodeShape<Cache, kPack, kTeam, kChunks, kRoomForEight ? 8 : 4>>(stream, args);
  }
}

template <class Cache>
void launch_for_dim(StreamContext& stream, const DecodeAttentionArgs& args) {
  constexpr int kPack = packed_count<Cache>();
  constexpr bool kNarrow = kPack == 8;
  if (args.head_dim % kPack != 0 || !are_aligned(args.k_cache, args.v_cache)) {
    launch_for_heads<Cache, 1, 16, 16>(stream, args);
  } else if (args.head_dim <= 64) {
    launch_for_heads<Cache, kPack, kNarrow ? 8 : 16, 1>(stream, args);
  } else if (args.head_dim <= 128) {
    launch_for_heads<Cache, kPack, 16, kNarrow ? 1 : 2>(stream, args);
  } else {
    launch_for_heads<Cache, kPack, 16, kNarrow ? 2 : 4>(stream, args);
  }
}

}  // namespace

void run_on_gpu(StreamContext& stream, const DecodeAttentionArgs& args) {
  if (args.batch == 0 || args.heads == 0) {
    return;
  }
  with_float_type(args.cache_dtype, [&]<class Cache>(Cache*) { launch_for_dim<Cache>(stream, args); });
}

}  // namespace aaco::gpu
