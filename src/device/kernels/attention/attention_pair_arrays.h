// SPDX-License-Identifier: MIT
// For the gradient of attention by pairs: the numbers of each pair of a query and a key, in memory, and views of some
// columns of rows.
#pragma once

#include "device/kernels/attention/attention_tile.h"

namespace aaco::gpu {

// The columns from `first` on.
template <class T>
AACO_DEVICE HeadRows<T> columns_from(HeadRows<T> rows, int32_t first) {
  rows.data += first;
  rows.dim -= first;
  return rows;
}

// AttentionGradArgs::pairs of a batch and head, [q_len, kv_len] each. T: float, or const.
template <class T>
struct PairArrays {
  HeadRows<T> weights;
  HeadRows<T> scores;
};

template <class T>
AACO_DEVICE PairArrays<T> pair_arrays(const AttentionGradArgs& args, int64_t batch, int64_t head) {
  const AttentionArgs& forward = args.forward;
  const int64_t size = static_cast<int64_t>(forward.q_len) * forward.kv_len;
  const AttentionLayout layout{forward.heads * size, forward.kv_len, size};
  T* const scores = args.pairs + static_cast<int64_t>(forward.batch) * forward.heads * size;
  return {head_rows<T>(args.pairs, layout, batch, head, forward.q_len, forward.kv_len),
          head_rows<T>(scores, layout, batch, head, forward.q_len, forward.kv_len)};
}

}  // namespace aaco::gpu
