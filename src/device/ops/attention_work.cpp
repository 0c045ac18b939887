// SPDX-License-Identifier: MIT
// FLOPs of attention are those of its matrix products, as usual: with P pairs of a query and a key that it sees and
// head size d, 4 P d forward, 10 P d for the gradient (five products, of which one computes the scores again).
#include <algorithm>
#include <cstddef>

#include "device/ops/array_list.h"

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

struct Tensors {
  LayoutTensor q;
  LayoutTensor kv;
  LayoutTensor out;
  int64_t rows;  // query rows of all heads
};

Tensors tensors_of(const AttentionArgs& args) {
  return {{args.q_layout, args.batch, args.q_len, args.heads, args.head_dim},
          {args.kv_layout, args.batch, args.kv_len, args.kv_heads, args.head_dim},
          {args.out_layout, args.batch, args.q_len, args.heads, args.head_dim},
          int64_t{args.batch} * args.heads * args.q_len};
}

void add_inputs(OpWork& work, size_t base, const AttentionArgs& args, const Tensors& tensors) {
  add_laid_out(work, base + offsetof(AttentionArgs, q), args.q, tensors.q, Access::kRead, args.dtype);
  add_laid_out(work, base + offsetof(AttentionArgs, k), args.k, tensors.kv, Access::kRead, args.dtype);
  add_laid_out(work, base + offsetof(AttentionArgs, v), args.v, tensors.kv, Access::kRead, args.dtype);
}

}  // namespace

OpWork work_of(const AttentionArgs& args) {
  OpWork work;
  work.flops = 4.0 * args.batch * args.heads * args.head_dim * visible_pairs(args);
  const Tensors tensors = tensors_of(args);
  add_inputs(work, 0, args, tensors);
  add_laid_out(work, offsetof(AttentionArgs, out), args.out, tensors.out, Access::kWrite, args.dtype);
  add_array(work, offsetof(AttentionArgs, log_sum), args.log_sum, tensors.rows, Access::kWrite, Dtype::kF32);
  return work;
}

OpWork work_of(const AttentionGradArgs& args) {
  OpWork work;
  const AttentionArgs& forward = args.forward;
  work.flops = 10.0 * forward.batch * forward.heads * forward.head_dim * visible_pairs(forward);
  const Tensors tensors = tensors_of(forward);
  const Dtype dtype = forward.dtype;
  constexpr size_t kForward = offsetof(AttentionGradArgs, forward);
  add_inputs(work, kForward, forward, tensors);
  add_laid_out(work, kForward + offsetof(AttentionArgs, out), forward.out, tensors.out, Access::kRead, dtype);
  add_array(work, kForward + offsetof(AttentionArgs, log_sum), forward.log_sum, tensors.rows, Access::kRead,
            Dtype::kF32);
  add_laid_out(work, offsetof(AttentionGradArgs, out_grad), args.out_grad, tensors.out, Access::kRead, dtype);
  add_laid_out(work, offsetof(AttentionGradArgs, dq), args.dq, tensors.q, Access::kWrite, dtype);
  add_laid_out(work, offsetof(AttentionGradArgs, dk), args.dk, tensors.kv, Access::kWrite, dtype);
  add_laid_out(work, offsetof(AttentionGradArgs, dv), args.dv, tensors.kv, Access::kWrite, dtype);
  add_array(work, offsetof(AttentionGradArgs, delta), args.delta, tensors.rows, Access::kWrite, Dtype::kF32);
  add_array(work, offsetof(AttentionGradArgs, pairs), args.pairs, 2 * tensors.rows * forward.kv_len, Access::kScratch,
            Dtype::kF32);
  add_array(work, offsetof(AttentionGradArgs, turn), args.turn,
            int64_t{std::max(forward.q_len, forward.kv_len)} * forward.head_dim, Access::kRead, Dtype::kF32);
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
  const LayoutTensor in{args.layout, args.batch, args.rows, args.kv_heads, args.head_dim};
  const int64_t used = int64_t{args.batch} * args.rows * args.kv_heads * args.head_dim;
  const int64_t cache = int64_t{args.batch} * args.kv_heads * args.capacity * args.head_dim;
  add_laid_out(work, offsetof(AppendCacheArgs, k), args.k, in, Access::kRead, args.dtype);
  add_laid_out(work, offsetof(AppendCacheArgs, v), args.v, in, Access::kRead, args.dtype);
  add_array(work, offsetof(AppendCacheArgs, k_cache), args.k_cache, cache, std::min(used, cache), Access::kWrite,
            args.cache_dtype);
  add_array(work, offsetof(AppendCacheArgs, v_cache), args.v_cache, cache, std::min(used, cache), Access::kWrite,
            args.cache_dtype);
  add_array(work, offsetof(AppendCacheArgs, lengths), args.lengths, args.batch, Access::kRead, Dtype::kI32);
  return work;
}

}  // namespace aaco
