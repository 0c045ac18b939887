// SPDX-License-Identifier: MIT
// How a reduction is cut up on a GPU, told from its arguments alone: the kernel launches by it, and work_of says by it
// whether the order of the sums is fixed.
#pragma once

#include <algorithm>

#include "device/kernels/rows.h"

namespace aaco {

// Blocks that share one row (kAlongRow) or one tile of columns (kAlongColumn). With more than one, each adds its part
// to an fp32 `out` atomically.
inline int64_t reduce_splits(const ReduceArgs& args) {
  constexpr int64_t kEnoughBlocks = 512;       // fill any device of today
  constexpr int64_t kLeastElements = 1 << 16;  // of a row, for a block of its own
  constexpr int64_t kLeastRows = 64;           // of a column, for the same
  constexpr int64_t kTileColumns = 32;
  if (args.op == ReduceOp::kMax || args.out_dtype != Dtype::kF32 || args.rows < 1 || args.cols < 1) {
    return 1;
  }
  if (args.axis == ReduceAxis::kAlongRow) {
    return std::clamp(args.cols / kLeastElements, int64_t{1}, std::max(int64_t{1}, kEnoughBlocks / args.rows));
  }
  const int64_t tiles = (args.cols + kTileColumns - 1) / kTileColumns;
  return std::clamp(args.rows / kLeastRows, int64_t{1}, std::max(int64_t{1}, kEnoughBlocks / tiles));
}

}  // namespace aaco
