// SPDX-License-Identifier: MIT
// The gradient of attention on the CPU, a query row at a time, from the row's log-sum: with p = exp(score - log_sum)
// and g = scale * p * (out_grad . v - delta): dv += p out_grad, dq += g k, dk += g q. Sums in fp32.
#include <cmath>
#include <vector>

#include "device/cpu/attention_rows.h"
#include "device/cpu/vector_sums.h"
#include "device/ops/op_work.h"

namespace aaco {

namespace {

// Of one key head: what is read, and the sums over the heads that share it.
struct KeyHead {
  std::vector<float> keys;
  std::vector<float> values;
  std::vector<float> dk;
  std::vector<float> dv;
};

// Rows of a head, from position 0 on, turned back by their positions' angles.
void turn_back(const AttentionGradArgs& args, std::vector<float>& rows) {
  if (args.turn == nullptr) {
    return;
  }
  for (size_t i = 0; i + 1 < rows.size(); i += 2) {  // rows lie behind each other, as those of the table do
    const float x = rows[i];
    rows[i] = x * args.turn[i] + rows[i + 1] * args.turn[i + 1];
    rows[i + 1] = rows[i + 1] * args.turn[i] - x * args.turn[i + 1];
  }
}

void add_head(const AttentionGradArgs& args, int64_t batch, int64_t head, KeyHead& shared) {
  const AttentionArgs& forward = args.forward;
  const int64_t dim = forward.head_dim;
  const auto rows = [&](const void* data, const AttentionLayout& layout) {
    return cpu::rows_of(data, forward.dtype, layout, batch, head, forward.q_len, dim);
  };
  const std::vector<float> queries = rows(forward.q, forward.q_layout);
  const std::vector<float> out = rows(forward.out, forward.out_layout);
  const std::vector<float> out_grad = rows(args.out_grad, forward.out_layout);
  std::vector<float> dq(queries.size());
  for (int64_t i = 0; i < forward.q_len; ++i) {
    const int64_t statistic = (batch * forward.heads + head) * forward.q_len + i;
    const float* query = queries.data() + i * dim;
    const float* grad = out_grad.data() + i * dim;
    const float delta = cpu::dot(grad, out.data() + i * dim, dim);
    args.delta[statistic] = delta;
    for (int64_t j = 0; j < cpu::keys_seen(forward, i); ++j) {
      const float* key = shared.keys.data() + j * dim;
      const float p = std::exp(forward.scale * cpu::dot(query, key, dim) - forward.log_sum[statistic]);
      const float g = forward.scale * p * (cpu::dot(grad, shared.values.data() + j * dim, dim) - delta);
      cpu::add_scaled(shared.dv.data() + j * dim, p, grad, dim);
      cpu::add_scaled(dq.data() + i * dim, g, key, dim);
      cpu::add_scaled(shared.dk.data() + j * dim, g, query, dim);
    }
  }
  turn_back(args, dq);
  cpu::store_rows(dq, args.dq, forward.dtype, forward.q_layout, batch, head, forward.q_len, dim);
}

}  // namespace

void run_on_cpu(const AttentionGradArgs& args) {
  const AttentionArgs& forward = args.forward;
  const int64_t group = forward.kv_heads > 0 ? forward.heads / forward.kv_heads : 0;
  for (int64_t batch = 0; batch < forward.batch; ++batch) {
    for (int64_t kv_head = 0; kv_head < forward.kv_heads; ++kv_head) {
      const auto rows = [&](const void* data) {
        return cpu::rows_of(data, forward.dtype, forward.kv_layout, batch, kv_head, forward.kv_len, forward.head_dim);
      };
      KeyHead shared{rows(forward.k), rows(forward.v), {}, {}};
      shared.dk.resize(shared.keys.size());
      shared.dv.resize(shared.keys.size());
      for (int64_t head = kv_head * group; head < (kv_head + 1) * group; ++head) {
        add_head(args, batch, head, shared);
      }
      const auto store = [&](const std::vector<float>& from, void* to) {
        cpu::store_rows(from, to, forward.dtype, forward.kv_layout, batch, kv_head, forward.kv_len, forward.head_dim);
      };
      turn_back(args, shared.dk);
      store(shared.dk, args.dk);
      store(shared.dv, args.dv);
    }
  }
}

}  // namespace aaco
