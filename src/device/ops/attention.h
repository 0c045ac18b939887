// SPDX-License-Identifier: MIT
// Arguments of attention: over whole sequences (prefill, training) and over a cache of keys and values (decode).
#pragma once

#include "device/ops/dtype.h"

namespace aaco {

// Where an element [batch b, row s, head h, d] of a tensor lies: data + b * batch + s * row + h * head + d, in
// elements.
struct AttentionLayout {
  int64_t batch = 0;
  int64_t row = 0;
  int64_t head = 0;
};

// out = softmax(scale * q k^T, masked) v per batch and head; heads / kv_heads query heads share one key head. causal:
// query row i sees key rows up to i + kv_len - q_len. `log_sum` [batch, heads, q_len] fp32, written where not null: the
// gradient needs it. A row that sees no key gives zeros, and minus infinity in `log_sum`. head_dim up to 256. No matrix
// of scores is stored.
struct AttentionArgs {
  const void* q = nullptr;
  const void* k = nullptr;
  const void* v = nullptr;
  void* out = nullptr;
  float* log_sum = nullptr;
  AttentionLayout q_layout{};
  AttentionLayout kv_layout{};
  AttentionLayout out_layout{};
  int32_t batch = 0;
  int32_t heads = 0;
  int32_t kv_heads = 0;
  int32_t q_len = 0;
  int32_t kv_len = 0;
  int32_t head_dim = 0;
  float scale = 1;
  int32_t causal = 0;
  Dtype dtype = Dtype::kF32;
};

// Gradients of the above. dq has q's layout, dk and dv k's; they are written, not added to. `delta` [batch, heads,
// q_len] fp32 is scratch: the row sums of out_grad * out. `pairs` [2, batch, heads, q_len, kv_len] fp32 is scratch
// too, and may be missing: the weights and the gradients of the scores, which are else computed twice. `turn`, where it
// is not null: a table as RotaryArgs has it, of at least q_len and kv_len positions; q and k are rows turned by their
// positions' angles, and dq and dk are turned back, to be the gradients of what was turned.
struct AttentionGradArgs {
  AttentionArgs forward;           // with out and log_sum as it left them
  const void* out_grad = nullptr;  // out's layout
  void* dq = nullptr;
  void* dk = nullptr;
  void* dv = nullptr;
  float* delta = nullptr;
  float* pairs = nullptr;
  const float* turn = nullptr;
};

// One query row per sequence over its cache: q, out [batch, heads, head_dim]; caches [batch, kv_heads, capacity,
// head_dim] of cache_dtype; sequence b has lengths[b] rows in it (at most capacity; 0 gives zeros). `partial` is fp32
// scratch of batch * heads * splits * (head_dim + 2), needed where splits > 1. `total_length`, the sum of lengths where
// the caller knows it, only counts FLOPs and bytes; -1: counted as if every cache were full.
struct DecodeAttentionArgs {
  const void* q = nullptr;
  const void* k_cache = nullptr;
  const void* v_cache = nullptr;
  const int32_t* lengths = nullptr;
  void* out = nullptr;
  float* partial = nullptr;
  int32_t batch = 0;
  int32_t heads = 0;
  int32_t kv_heads = 0;
  int32_t head_dim = 0;
  int32_t capacity = 0;
  int32_t splits = 1;
  float scale = 1;
  Dtype dtype = Dtype::kF32;
  Dtype cache_dtype = Dtype::kF32;
  int64_t total_length = -1;
};

// Writes `rows` new rows of k and v ([batch, rows, kv_heads, head_dim], lying as the layout says) to the caches behind
// the lengths[b] rows that are there; rows beyond capacity are not written. Lengths stay.
struct AppendCacheArgs {
  const void* k = nullptr;
  const void* v = nullptr;
  void* k_cache = nullptr;
  void* v_cache = nullptr;
  const int32_t* lengths = nullptr;
  AttentionLayout layout{};
  int32_t batch = 0;
  int32_t rows = 0;
  int32_t kv_heads = 0;
  int32_t head_dim = 0;
  int32_t capacity = 0;
  Dtype dtype = Dtype::kF32;
  Dtype cache_dtype = Dtype::kF32;
};

}  // namespace aaco
