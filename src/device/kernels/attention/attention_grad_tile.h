// SPDX-License-Identifier: MIT
// For the kernels of attention's gradient in fp32: what becomes of the products of a pair, where it is kept, and of
// sums.
#pragma once

#include "device/kernels/attention/attention_tile.h"
#include "device/kernels/attention/turn_back.h"

namespace aaco::gpu {

// Of a query and a key that it sees: the weight, and the gradient of their product times the scale.
struct PairGrad {
  float weight;
  float score;
};

// What the gradient needs of a query row.
struct RowStatistics {
  float log_sum;  // in units of log 2
  float delta;
};

AACO_DEVICE RowStatistics row_statistics(const AttentionGradArgs& args, int64_t row) {
  return {args.forward.log_sum[row] * kLog2E, args.delta[row]};
}

// `in_log2`: the scale of products, for exp2.
AACO_DEVICE float pair_weight(float in_log2, const RowStatistics& row, float product) {
  return exp2_fast(product * in_log2 - row.log_sum);
}

AACO_DEVICE float score_grad(const RowStatistics& row, float weight, float value_product) {
  return weight * (value_product - row.delta);
}

AACO_DEVICE PairGrad pair_grad(float in_log2, const RowStatistics& row, float product, float value_product) {
  const float weight = pair_weight(in_log2, row, product);
  return {weight, score_grad(row, weight, value_product)};
}

template <class Tile>
AACO_DEVICE void scale_sums(float (&sums)[Tile::kOwnPer][Tile::kDimPer], float factor) {
  AACO_UNROLL
  for (int i = 0; i < Tile::kOwnPer; ++i) {
    AACO_UNROLL
    for (int c = 0; c < Tile::kDimPer; ++c) {
      sums[i][c] *= factor;
    }
  }
}

// Rows from `first` on, their columns from `first_column` on, turned back.
template <class Tile>
AACO_DEVICE void turn_sums_back(const AttentionGradArgs& args, int32_t first, int32_t count, int32_t first_column,
                                float (&sums)[Tile::kOwnPer][Tile::kDimPer]) {
  AACO_UNROLL
  for (int i = 0; i < Tile::kOwnPer; ++i) {
    const int32_t row = first + Tile::own_row(i);
    AACO_UNROLL
    for (int c = 0; c < Tile::kDimPer; c += 2) {
      turn_back(row < count ? args.turn : nullptr, row, args.forward.head_dim, first_column + Tile::column(c),
                sums[i][c], sums[i][c + 1]);
    }
  }
}

}  // namespace aaco::gpu
