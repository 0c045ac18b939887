// SPDX-License-Identifier: MIT
// The query rows that a block of keys goes through in the gradient of attention: those of all heads that share it, in
// tiles of kRows; from the first row that sees the block's first key.
#pragma once

#include "device/gpu/portability.h"
#include "device/ops/attention.h"

namespace aaco::gpu {

template <int kRows>
struct QueryTiles {
  int32_t first_row;
  int32_t per_head;
  int32_t count;

  AACO_DEVICE QueryTiles(const AttentionArgs& args, int32_t first_key) {
    const int32_t sees = args.causal != 0 ? first_key - (args.kv_len - args.q_len) : 0;
    first_row = sees > 0 ? sees : 0;
    per_head = first_row < args.q_len ? (args.q_len - first_row + kRows - 1) / kRows : 0;
    count = per_head * (args.heads / args.kv_heads);
  }
  AACO_DEVICE int32_t row(int32_t i) const { return first_row + i % per_head * kRows; }
};

}  // namespace aaco::gpu
