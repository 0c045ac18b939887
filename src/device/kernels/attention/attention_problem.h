// SPDX-License-Identifier: MIT
// Random attention problems for the tests, and attention by its definition in double.
#pragma once

#include <cmath>
#include <vector>

#include "device/kernels/test_values.h"
#include "device/ops/attention.h"

namespace aaco {

// q, k and v lie side by side in rows of a packed tensor [batch, row, 3 tensors of heads * head_dim], out alone with
// heads before rows: two layouts that differ.
inline AttentionArgs attention_shape(int32_t batch, int32_t heads, int32_t kv_heads, int32_t q_len, int32_t kv_len,
                                     int32_t head_dim) {
  AttentionArgs args;
  args.batch = batch;
  args.heads = heads;
  args.kv_heads = kv_heads;
  args.q_len = q_len;
  args.kv_len = kv_len;
  args.head_dim = head_dim;
  args.scale = 1 / std::sqrt(static_cast<float>(head_dim));
  const int64_t q_row = int64_t{heads} * head_dim + 5;
  const int64_t kv_row = int64_t{2} * kv_heads * head_dim;
  args.q_layout = {q_len * q_row, q_row, head_dim};
  args.kv_layout = {kv_len * kv_row, kv_row, head_dim};
  args.out_layout = {int64_t{heads} * q_len * head_dim, head_dim, int64_t{q_len} * head_dim};
  return args;
}

struct AttentionProblem {
  explicit AttentionProblem(const AttentionArgs& shape)
      : args(shape),
        q(random_array(args.dtype, args.batch * args.q_layout.batch, 1)),
        kv(random_array(args.dtype, args.batch * args.kv_layout.batch, 2)),
        out(poisoned(args.dtype, args.batch * args.out_layout.batch)),
        log_sum(static_cast<size_t>(args.batch * args.heads * args.q_len), std::nanf("")) {
    args.q = q.data();
    args.k = kv.data();
    const int64_t k_bytes = args.kv_len == 0 ? 0 : int64_t{args.kv_heads} * args.head_dim * size_of(args.dtype);
    args.v = static_cast<std::byte*>(kv.data()) + k_bytes;
    args.out = out.data();
    args.log_sum = log_sum.data();
  }

  AttentionArgs args;
  TypedArray q;
  TypedArray kv;
  TypedArray out;
  std::vector<float> log_sum;
};

// The values of the problem in double, for finite differences too.
struct AttentionValues {
  std::vector<double> q;
  std::vector<double> kv;
};

inline AttentionValues values_of(const AttentionProblem& problem) {
  const std::vector<float> q = problem.q.values();
  const std::vector<float> kv = problem.kv.values();
  return {{q.begin(), q.end()}, {kv.begin(), kv.end()}};
}

struct AttentionRow {
  std::vector<double> out;
  double log_sum = -HUGE_VAL;
};

inline AttentionRow attention_row(const AttentionArgs& args, const AttentionValues& values, int64_t batch, int64_t head,
                                  int64_t row) {
  const int64_t kv_head = head / (args.heads / args.kv_heads);
  const double* q = values.q.data() + batch * args.q_layout.batch + row * args.q_layout.row + head * args.q_layout.head;
  AttentionRow result{std::vector<double>(static_cast<size_t>(args.head_dim), 0.0)};
  double sum = 0;
  for (int64_t j = 0; j < args.kv_len; ++j) {
    if (args.causal != 0 && j > row + args.kv_len - args.q_len) {
      continue;
    }
    const double* k =
        values.kv.data() + batch * args.kv_layout.batch + j * args.kv_layout.row + kv_head * args.head_dim;
    const double* v = k + int64_t{args.kv_heads} * args.head_dim;
    double score = 0;
    for (int64_t d = 0; d < args.head_dim; ++d) {
      score += q[d] * k[d];
    }
    const double weight = std::exp(args.scale * score);
    sum += weight;
    for (int64_t d = 0; d < args.head_dim; ++d) {
      result.out[d] += weight * v[d];
    }
  }
  for (double& value : result.out) {
    value = sum > 0 ? value / sum : 0;
  }
  result.log_sum = std::log(sum);
  return result;
}

}  // namespace aaco
