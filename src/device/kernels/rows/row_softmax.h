// SPDX-License-Identifier: MIT
// For kernels: the maximum of a row of scaled values and the sum of exponentials of their distances to it.
#pragma once

#include "device/kernels/row_group.h"

namespace aaco::gpu {

struct RowSums {
  float most = Largest::kStart;
  float sum = 0;
};

// Loads a held row, scaled; slots beyond its end are -infinity.
template <int kPack, bool kWide, class T>
AACO_DEVICE void load_scaled(const T* row, int64_t cols, float scale, float (&values)[kSlots<kWide>]) {
  AACO_UNROLL
  for (int j = 0; j < kSlots<kWide>; ++j) {
    values[j] = Largest::kStart;
  }
  for_slots<kPack, kWide>(cols, [&](int slot, int column) {
    load_pack<kPack>(row, column, values + slot);
    AACO_UNROLL
    for (int j = 0; j < kPack; ++j) {
      values[slot + j] *= scale;
    }
  });
}

// Of a held row; `values` become the exponentials.
template <bool kWide>
AACO_DEVICE RowSums exponentials(float (&values)[kSlots<kWide>], float* scratch) {
  RowSums sums;
  AACO_UNROLL
  for (int j = 0; j < kSlots<kWide>; ++j) {
    sums.most = Largest::join(sums.most, values[j]);
  }
  sums.most = joined<Largest, kWide>(sums.most, scratch);
  AACO_UNROLL
  for (int j = 0; j < kSlots<kWide>; ++j) {
    values[j] = expf(values[j] - sums.most);
    sums.sum += values[j];
  }
  sums.sum = joined<Sum, kWide>(sums.sum, scratch);
  return sums;
}

// Of a row of any length by a block, read once: the sum so far is scaled down when the maximum rises.
template <int kPack, class T>
AACO_DEVICE RowSums online_sums(const T* row, int64_t cols, float scale, float* scratch) {
  RowSums own;
  for_columns<kPack, true>(cols, [&](int64_t column) {
    float values[kPack];
    load_pack<kPack>(row, column, values);
    float most = own.most;
    AACO_UNROLL
    for (int j = 0; j < kPack; ++j) {
      values[j] *= scale;
      most = Largest::join(most, values[j]);
    }
    if (most == Largest::kStart) {
      return;  // nothing but -infinity so far, whose distances to itself are no numbers
    }
    own.sum *= expf(own.most - most);
    AACO_UNROLL
    for (int j = 0; j < kPack; ++j) {
      own.sum += expf(values[j] - most);
    }
    own.most = most;
  });
  RowSums all;
  all.most = joined<Largest, true>(own.most, scratch);
  const float share = own.most == Largest::kStart ? 0 : own.sum * expf(own.most - all.most);
  all.sum = joined<Sum, true>(share, scratch);
  return all;
}

}  // namespace aaco::gpu
