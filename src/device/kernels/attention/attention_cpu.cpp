// SPDX-License-Identifier: MIT
// Attention on the CPU, a query row at a time: the scores of the row, then the softmax of them, then the mean of the
// values. Products and values are summed in fp32, the softmax's denominator in double.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "device/cpu/attention_rows.h"
#include "device/cpu/vector_sums.h"
#include "device/ops/op_work.h"

namespace aaco {

namespace {

// One query row against `count` keys; the log of the sum of exp(score).
float attend(const float* query, const float* keys, const float* values, int64_t count, int64_t head_dim, float scale,
             std::vector<float>& scores, float* out) {
  std::fill(out, out + head_dim, 0.0F);
  if (count == 0) {
    return -std::numeric_limits<float>::infinity();
  }
  scores.resize(static_cast<size_t>(count));
  for (int64_t j = 0; j < count; ++j) {
    scores[j] = scale * cpu::dot(query, keys + j * head_dim, head_dim);
  }
  const float largest = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (float& score : scores) {
    score = std::exp(score - largest);
    sum += score;
  }
  for (int64_t j = 0; j < count; ++j) {
    cpu::add_scaled(out, scores[j], values + j * head_dim, head_dim);
  }
  std::transform(out, out + head_dim, out, [&](float value) { return static_cast<float>(value / sum); });
  return static_cast<float>(largest + std::log(sum));
}

void attend_head(const AttentionArgs& args, int64_t batch, int64_t head, const std::vector<float>& keys,
                 const std::vector<float>& values) {
  const int64_t dim = args.head_dim;
  const std::vector<float> queries = cpu::rows_of(args.q, args.dtype, args.q_layout, batch, head, args.q_len, dim);
  std::vector<float> out(queries.size());
  std::vector<float> scores;
  for (int64_t i = 0; i < args.q_len; ++i) {
    const float log_sum = attend(queries.data() + i * dim, keys.data(), values.data(), cpu::keys_seen(args, i), dim,
                                 args.scale, scores, out.data() + i * dim);
    if (args.log_sum != nullptr) {
      args.log_sum[(batch * args.heads + head) * args.q_len + i] = log_sum;
    }
  }
  cpu::store_rows(out, args.out, args.dtype, args.out_layout, batch, head, args.q_len, dim);
}

}  // namespace

void run_on_cpu(const AttentionArgs& args) {
  const int64_t group = args.kv_heads > 0 ? args.heads / args.kv_heads : 0;
  for (int64_t batch = 0; batch < args.batch; ++batch) {
    for (int64_t kv_head = 0; kv_head < args.kv_heads; ++kv_head) {
      const auto rows = [&](const void* data) {
        return cpu::rows_of(data, args.dtype, args.kv_layout, batch, kv_head, args.kv_len, args.head_dim);
      };
      const std::vector<float> keys = rows(args.k);
      const std::vector<float> values = rows(args.v);
      for (int64_t head = kv_head * group; head < (kv_head + 1) * group; ++head) {
        attend_head(args, batch, head, keys, values);
      }
    }
  }
}

void run_on_cpu(const DecodeAttentionArgs& args) {
  const int64_t dim = args.head_dim;
  const int64_t group = args.kv_heads > 0 ? args.heads / args.kv_heads : 0;
  std::vector<float> keys;
  std::vector<float> values;
  std::vector<float> query(static_cast<size_t>(dim));
  std::vector<float> out(static_cast<size_t>(dim));
  std::vector<float> scores;
  for (int64_t cache = 0; cache < int64_t{args.batch} * args.kv_heads; ++cache) {
    const int64_t batch = cache / args.kv_heads;
    const int64_t length = std::clamp<int64_t>(args.lengths[batch], 0, args.capacity);
    keys.resize(static_cast<size_t>(length * dim));
    values.resize(static_cast<size_t>(length * dim));
    read_floats(args.k_cache, args.cache_dtype, cache * args.capacity * dim, length * dim, keys.data());
    read_floats(args.v_cache, args.cache_dtype, cache * args.capacity * dim, length * dim, values.data());
    for (int64_t member = 0; member < group; ++member) {
      const int64_t place = (cache * group + member) * dim;  // heads of a group lie together
      read_floats(args.q, args.dtype, place, dim, query.data());
      attend(query.data(), keys.data(), values.data(), length, dim, args.scale, scores, out.data());
      write_floats(args.out, args.dtype, place, dim, out.data());
    }
  }
}

void run_on_cpu(const AppendCacheArgs& args) {
  const int64_t dim = args.head_dim;
  std::vector<float> row(static_cast<size_t>(dim));
  for (int64_t i = 0; i < int64_t{args.batch} * args.rows * args.kv_heads; ++i) {
    const int64_t batch = i / (int64_t{args.rows} * args.kv_heads);
    const int64_t new_row = i / args.kv_heads % args.rows;
    const int64_t head = i % args.kv_heads;
    const int64_t cache_row = args.lengths[batch] + new_row;
    if (cache_row < 0 || cache_row >= args.capacity) {
      continue;
    }
    const int64_t from = cpu::place_of(args.layout, batch, new_row, head);
    const int64_t to = ((batch * args.kv_heads + head) * args.capacity + cache_row) * dim;
    read_floats(args.k, args.dtype, from, dim, row.data());
    write_floats(args.k_cache, args.cache_dtype, to, dim, row.data());
    read_floats(args.v, args.dtype, from, dim, row.data());
    write_floats(args.v_cache, args.cache_dtype, to, dim, row.data());
  }
}

}  // namespace aaco
