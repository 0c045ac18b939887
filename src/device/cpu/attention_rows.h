// SPDX-License-Identifier: MIT
// What attention and its gradient share on the CPU: rows of a strided tensor, widened to fp32.
#pragma once

#include <cstdint>
#include <vector>

#include "device/ops/attention.h"
#include "device/ops/float_array.h"

namespace aaco::cpu {

inline int64_t place_of(const AttentionLayout& layout, int64_t batch, int64_t row, int64_t head) {
  return batch * layout.batch + row * layout.row + head * layout.head;
}

// Rows [0, count) of one batch and head, one behind the other.
inline std::vector<float> rows_of(const void* data, Dtype dtype, const AttentionLayout& layout, int64_t batch,
                                  int64_t head, int64_t count, int64_t head_dim) {
  std::vector<float> rows(static_cast<size_t>(count * head_dim));
  for (int64_t row = 0; row < count; ++row) {
    read_floats(data, dtype, place_of(layout, batch, row, head), head_dim, rows.data() + row * head_dim);
  }
  return rows;
}

inline void store_rows(const std::vector<float>& rows, void* data, Dtype dtype, const AttentionLayout& layout,
                       int64_t batch, int64_t head, int64_t count, int64_t head_dim) {
  for (int64_t row = 0; row < count; ++row) {
    write_floats(data, dtype, place_of(layout, batch, row, head), head_dim, rows.data() + row * head_dim);
  }
}

// How many keys query row `row` sees: those from the start.
inline int64_t keys_seen(const AttentionArgs& args, int64_t row) {
  const int64_t seen = args.causal != 0 ? row + 1 + args.kv_len - args.q_len : args.kv_len;
  return seen < 0 ? 0 : seen;
}

}  // namespace aaco::cpu
