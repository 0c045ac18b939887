// SPDX-License-Identifier: MIT
// Decode attention, and appending to its caches.
#include <cmath>
#include <string>

#include "device/check/op_case.h"

namespace aaco {

namespace {

constexpr const char* kWhy = "scores of a few units differ by some 1e-6, so weights do; relative to the largest value";

struct Shape {
  int32_t batch, heads, kv_heads, head_dim, capacity, splits;
};

void add_decode(std::vector<OpCase>& cases, const Shape& shape, Dtype dtype, Dtype cache, bool unaligned = false) {
  const std::string name = std::to_string(shape.batch) + " x " + std::to_string(shape.heads) + " heads (" +
                           std::to_string(shape.kv_heads) + " of keys), dim " + std::to_string(shape.head_dim) +
                           ", up to " + std::to_string(shape.capacity) + " rows, " + std::to_string(shape.splits) +
                           " splits, " + name_of(dtype) + " from " + name_of(cache) + (unaligned ? ", unaligned" : "");
  const auto fill = [=](CaseMemory& memory, DecodeAttentionArgs& args) {
    const int64_t queries = int64_t{shape.batch} * shape.heads * shape.head_dim;
    const int64_t rows = int64_t{shape.batch} * shape.kv_heads * shape.capacity * shape.head_dim;
    args.q = memory.random(dtype, queries, -1, 1);
    args.k_cache = memory.random(cache, rows, -1, 1);
    args.v_cache = memory.random(cache, rows, -1, 1);
    args.lengths = memory.integers(shape.batch, 0, shape.capacity + 1);
    args.out = memory.output(dtype, queries, 1);
    if (shape.splits > 1) {
      const int64_t partial = int64_t{shape.batch} * shape.heads * shape.splits * (shape.head_dim + 2);
      args.partial = static_cast<float*>(memory.output(Dtype::kF32, partial, 1));
    }
    args.batch = shape.batch;
    args.heads = shape.heads;
    args.kv_heads = shape.kv_heads;
    args.head_dim = shape.head_dim;
    args.capacity = shape.capacity;
    args.splits = shape.splits;
    args.scale = 1 / std::sqrt(static_cast<float>(shape.head_dim));
    args.dtype = dtype;
    args.cache_dtype = cache;
  };
  cases.push_back(make_case<DecodeAttentionArgs>(name, 5e-6, kWhy, fill));
  cases.back().unaligned = unaligned;
}

struct AppendShape {
  int32_t batch, rows, kv_heads, head_dim, capacity;
};

// Rows of k and v side by side, as a joint projection leaves them.
void add_append(std::vector<OpCase>& cases, const AppendShape& shape, Dtype dtype, Dtype cache) {
  const std::string name = std::to_string(shape.rows) + " rows of " + std::to_string(shape.kv_heads) + " x " +
                           std::to_string(shape.head_dim) + " to " + std::to_string(shape.capacity) + ", " +
                           name_of(dtype) + " to " + name_of(cache);
  const auto fill = [=](CaseMemory& memory, AppendCacheArgs& args) {
    const int64_t half = int64_t{shape.kv_heads} * shape.head_dim;
    args.layout = {2 * half * shape.rows, 2 * half, shape.head_dim};
    auto* kv = static_cast<std::byte*>(memory.random(dtype, shape.batch * args.layout.batch, -1, 1));
    args.k = kv;
    args.v = kv + (shape.rows == 0 ? 0 : half * size_of(dtype));
    args.k_cache = memory.in_out(cache, shape.batch * half * shape.capacity, -1, 1, 0);
    args.v_cache = memory.in_out(cache, shape.batch * half * shape.capacity, -1, 1, 0);
    args.lengths = memory.integers(shape.batch, 0, shape.capacity + 1);
    args.batch = shape.batch;
    args.rows = shape.rows;
    args.kv_heads = shape.kv_heads;
    args.head_dim = shape.head_dim;
    args.capacity = shape.capacity;
    args.dtype = dtype;
    args.cache_dtype = cache;
  };
  cases.push_back(make_case<AppendCacheArgs>(name, 0, "copies", fill));
}

}  // namespace

std::vector<OpCase> decode_attention_cases() {
  std::vector<OpCase> cases;
  for (const Dtype cache : {Dtype::kF32, Dtype::kF16, Dtype::kBf16}) {
    const Dtype dtype = cache == Dtype::kF16 ? Dtype::kF32 : cache;
    add_decode(cases, {5, 4, 4, 64, 130, 1}, dtype, cache);
    add_decode(cases, {5, 4, 4, 64, 130, 3}, dtype, cache);
    add_decode(cases, {3, 8, 4, 128, 70, 2}, dtype, cache);  // two, four, eight and nine heads to a key
    add_decode(cases, {3, 4, 1, 48, 200, 4}, dtype, cache);
    add_decode(cases, {2, 16, 2, 96, 90, 5}, dtype, cache);
    add_decode(cases, {2, 9, 1, 128, 40, 1}, dtype, cache);
    add_decode(cases, {2, 6, 1, 256, 50, 3}, dtype, cache);
    add_decode(cases, {3, 6, 2, 33, 60, 2}, dtype, cache);  // rows that no pack divides
    add_decode(cases, {2, 12, 2, 64, 60, 7}, dtype, cache, true);
    add_decode(cases, {4, 2, 2, 64, 3, 8}, dtype, cache);  // more splits than rows
    add_append(cases, {3, 2, 4, 64, 5}, dtype, cache);
    add_append(cases, {2, 7, 3, 33, 9}, dtype, cache);
    add_append(cases, {1, 1, 1, 1, 1}, dtype, cache);
    add_append(cases, {2, 0, 1, 8, 4}, dtype, cache);
    for (const int32_t head_dim : {64, 128, 256, 33}) {
      for (const int32_t heads : {1, 2, 4, 8}) {  // to a key
        add_decode(cases, {1, heads, 1, head_dim, 20, 1}, dtype, cache);
      }
    }
    for (const Dtype from : {Dtype::kF32, Dtype::kF16, Dtype::kBf16}) {
      add_append(cases, {2, 3, 2, 64, 5}, from, cache);
      add_append(cases, {1, 2, 3, 33, 4}, from, cache);
    }
  }
  return cases;
}

}  // namespace aaco
