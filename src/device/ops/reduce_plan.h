// SPDX-License-Identifier: MIT
// How a reduction is cut up on a GPU, told from its arguments alone: the kernels launch by it, and work_of says by it
// whether the order of the sums is fixed.
#pragma once

#include <algorithm>

#include "device/ops/rows.h"

namespace aaco {

inline constexpr int64_t kEnoughBlocks = 512;  // fill any device of today

// Blocks that share the rows of one tile of columns.
inline int64_t column_splits(int64_t rows, int64_t cols) {
  constexpr int64_t kLeastRows = 64;
  constexpr int64_t kTileColumns = 128;  // about what a block takes side by side
  const int64_t tiles = (cols + kTileColumns - 1) / kTileColumns;
  return std::clamp<int64_t>(rows / kLeastRows, 1, std::max<int64_t>(1, kEnoughBlocks / std::max<int64_t>(1, tiles)));
}

// Blocks that share one row (kAlongRow) or one tile of columns (kAlongColumn). With more than one, each adds its part
// to `out` atomically, which must be fp32.
inline int64_t reduce_splits(const ReduceArgs& args) {
  constexpr int64_t kLeastElements = 1 << 16;
  if (args.op == ReduceOp::kMax || args.out_dtype != Dtype::kF32) {
    return 1;
  }
  if (args.axis == ReduceAxis::kAlongColumn) {
    return column_splits(args.rows, args.cols);
  }
  const int64_t most = std::max<int64_t>(1, kEnoughBlocks / std::max<int64_t>(1, args.rows));
  return std::clamp<int64_t>(args.cols / kLeastElements, 1, most);
}

}  // namespace aaco
