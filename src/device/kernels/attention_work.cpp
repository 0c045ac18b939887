// SPDX-License-Identifier: MIT
// FLOPs of attention are those of its matrix products, as usual: with P pairs of a query and a key that it sees and
// head size d, 4 P d forward, 10 P d for the gradient (five products, of which one computes the scores again).
#include <algorithm>
#include <cstddef>

#include "device/kernels/array_list.h"

namespace aaco {

namespace {

// Pairs of a query row and a key row that it sees, of one head.
double visible_pairs(const AttentionArgs& args) {
  const double queries = args.q_len;
  const double keys = args.kv_len;
  if (args.causal == 0) {
    return queries * keys;
  }
  // Row i sees i + 1 + keys - queries keys, where that is more than none: the last row all, each before it one less.
  const double rows = std::min(queries, keys);
  return rows * keys - rows * (rows - 1) / 2;
}

int64_t extent(const AttentionLayout& layout, int64_t batch, int64_t rows, int64_t heads, int64_t head_dim) {
  if (batch * rows * heads * head_dim == 0) {
    return 0;
  }
  return (batch - 1) * layout.batch + (rows - 1) * layout.row + (heads - 1) * layout.head + head_dim;
}

struct Sizes {
  int64_t q_used;
  int64_t q_extent;
  int64_t kv_used;
  int64_t kv_extent;
  int64_t out_extent;
  int64_t rows;  // query rows of all heads
};

Sizes sizes_of(const AttentionArgs& args) {
  const int64_t rows = int64_t{args.batch} * args.heads * args.q_len;
  return {rows * args.head_dim,
          extent(args.q_layout, args.batch, args.q_len, args.heads, args.head_dim),
          int64_t{args.batch} * args.kv_heads * args.kv_len * args.head_dim,
          extent(args.kv_layout, args.batch, args.kv_len, args.kv_heads, args.head_dim),
          extent(args.out_layout, args.batch, args.q_len, args.heads, args.head_dim),
          rows};
}

void add_inputs(OpWork& work, size_t base, const AttentionArgs& args, const Sizes& sizes) {
  add_array(work, base + offsetof(AttentionArgs, q), args.q, sizes.q_extent, sizes.q_used, Access::kRead, args.dtype);
  add_array(work, base + offsetof(AttentionArgs, k), args.k, sizes.kv_extent, sizes.kv_used, Access::kRead, args.dtype);
  add_array(work, base + offsetof(AttentionArgs, v), args.v, sizes.kv_extent, sizes.kv_used, Access::kRead, args.dtype);
}

}  // namespace

OpWork work_of(const AttentionArgs& args) {
  OpWork work;
  work.flops = 4.0 * args.batch * args.heads * args.head_dim * visible_pairs(args);
  const Sizes sizes = sizes_of(args);
  add_inputs(work, 0, args, sizes);
  add_array(work, offsetof(AttentionArgs, out), args.out, sizes.out_extent, sizes.q_used, Access::kWrite, args.dtype);
  add_array(work, offsetof(AttentionArgs, log_sum), args.log_sum, sizes.rows, Access::kWrite, Dtype::kF32);
  return work;
}

OpWork work_of(const AttentionGradArgs& args) {
  OpWork work;
  const AttentionArgs& forward = args.forward;
  work.flops = 10.0 * forward.batch * forward.heads * forward.head_dim * visible_pairs(forward);
  const Sizes sizes = sizes_of(forward);
  const Dtype dtype = forward.dtype;
  constexpr size_t kForward = offsetof(AttentionGradArgs, forward);
  add_inputs(work, kForward, forward, sizes);
  add_array(work, kForward + offsetof(AttentionArgs, out), forward.out, sizes.out_extent, sizes.q_used, Access::kRead,
            dtype);
  add_array(work, kForward + offsetof(AttentionArgs, log_sum), forward.log_sum, sizes.rows, Access::kRead, Dtype::kF32);
  add_array(work, offsetof(AttentionGradArgs, out_grad), args.out_grad, sizes.out_extent, sizes.q_used, Access::kRead,
            dtype);
  add_array(work, offsetof(AttentionGradArgs, dq), args.dq, sizes.q_extent, sizes.q_used, Access::kWrite, dtype);
  add_array(work, offsetof(AttentionGradArgs, dk), args.dk, sizes.kv_extent, sizes.kv_used, Access::kWrite, dtype);
  add_array(work, offsetof(AttentionGradArgs, dv), args.dv, sizes.kv_extent, sizes.kv_used, Access::kWrite, dtype);
  add_array(work, offsetof(AttentionGradArgs, delta), args.delta, sizes.rows, Access::kWrite, Dtype::kF32);
  return work;
}

OpWork work_of(const DecodeAttentionArgs& args) {
  OpWork work;
  const int64_t full = int64_t{args.batch} * args.capacity;
  const int64_t rows = args.total_length < 0 ? full : std::min(args.total_length, full);
  work.flops = 4.0 * args.heads * args.head_dim * static_cast<double>(rows);
  const int64_t row = int64_t{args.kv_heads} * args.head_dim;
  const int64_t queries = int64_t{args.batch} * args.heads * args.head_dim;
  add_array(work, offsetof(DecodeAttentionArgs, q), args.q, queries, Access::kRead, args.dtype);
  add_array(work, offsetof(DecodeAttentionArgs, k_cache), args.k_cache, full * row, rows * row, Access::kRead,
            args.cache_dtype);
  add_array(work, offsetof(DecodeAttentionArgs, v_cache), args.v_cache, full * row, rows * row, Access::kRead,
            args.cache_dtype);
  add_array(work, offsetof(DecodeAttentionArgs, lengths), args.lengths, args.batch, Access::kRead, Dtype::kI32);
  add_array(work, offsetof(DecodeAttentionArgs, out), args.out, queries, Access::kWrite, args.dtype);
  if (args.splits > 1) {
    add_array(work, offsetof(DecodeAttentionArgs, partial), args.partial,
              int64_t{args.batch} * args.heads * args.splits * (args.head_dim + 2), Access::kScratch, Dtype::kF32);
  }
  return work;
}

// Copies; counted as if all rows had room.
OpWork work_of(const AppendCacheArgs& args) {
  OpWork work;
  const int64_t in_extent = extent(args.layout, args.batch, args.rows, args.kv_heads, args.head_dim);
  const int64_t used = int64_t{args.batch} * args.rows * args.kv_heads * args.head_dim;
  const int64_t cache = int64_t{args.batch} * args.kv_heads * args.capacity * args.head_dim;
  add_array(work, offsetof(AppendCacheArgs, k), args.k, in_extent, used, Access::kRead, args.dtype);
  add_array(work, offsetof(AppendCacheArgs, v), args.v, in_extent, used, Access::kRead, args.dtype);
  add_array(work, offsetof(AppendCacheArgs, k_cache), args.k_cache, cache, std::min(used, cache), Access::kWrite,
            args.cache_dtype);
  add_array(work, offsetof(AppendCacheArgs, v_cache), args.v_cache, cache, std::min(used, cache), Access::kWrite,
            args.cache_dtype);
  add_array(work, offsetof(AppendCacheArgs, lengths), args.lengths, args.batch, Access::kRead, Dtype::kI32);
  return work;
}

}  // namespace aaco
