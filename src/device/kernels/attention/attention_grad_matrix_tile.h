// SPDX-License-Identifier: MIT
// For the gradients of attention on matrix units: what lies in shared memory, the way through the tiles of others, and
// weights and gradients of scores from products.
#pragma once

#include "device/kernels/attention/attention_matrix_tile.h"

namespace aaco::gpu {

// kStages: tiles of others in shared memory, one or two. kColumns: of the gradients of keys and values that a block
// sums up; wider heads take several blocks.
template <int kDim, int kWaves, int kOther, int kStagesValue>
struct MatrixGradTile : MatrixTile<kDim, kWaves, kOther> {
  using Base = MatrixTile<kDim, kWaves, kOther>;
  static constexpr int kStages = kStagesValue;
  static constexpr int kColumns = kDim < 128 ? kDim : 128;
  static constexpr int kParts = kDim / kColumns;
  static constexpr bool kHeld = kDim <= 64;
  static constexpr int kOwnElements = Base::kOwn * Base::kStride;
  static constexpr int kOtherElements = kOther * Base::kStride;
  // Two own tiles, then for each stage two of others, then for each stage log-sums and deltas.
  static constexpr size_t kBytes =
      sizeof(uint16_t) * 2 * (kOwnElements + kStages * kOtherElements) + sizeof(float) * 2 * kStages * kOther;
};

// Of the rows of others: two tiles, and of query rows the log-sums and deltas.
template <class T>
struct OtherRows {
  T* first;
  T* second;
  float* log_sums;
  float* deltas;
};

template <class T, class Tile>
struct MatrixGradMemory {
  T* own;         // queries, or keys
  T* own_second;  // out_grad, or values

  AACO_DEVICE explicit MatrixGradMemory(T* memory) : own(memory), own_second(own + Tile::kOwnElements) {}

  AACO_DEVICE OtherRows<T> others(int stage) const {
    T* const tiles = own_second + Tile::kOwnElements;
    T* const first = tiles + 2 * stage * Tile::kOtherElements;
    auto* const statistics = reinterpret_cast<float*>(tiles + 2 * Tile::kStages * Tile::kOtherElements);
    float* const log_sums = statistics + 2 * stage * Tile::kOther;
    return {first, first + Tile::kOtherElements, log_sums, log_sums + Tile::kOther};
  }
};

// fetch(i, rows) begins to bring tile i of others, take(i, rows) uses it, for all i below `count`. Own tiles are there
// as well when the first is taken.
template <class Tile, class Memory, class Fetch, class Take>
AACO_DEVICE void for_others(const Memory& memory, int32_t count, const Fetch& fetch, const Take& take) {
  if (count > 0) {
    fetch(0, memory.others(0));
  }
  for (int32_t i = 0; i < count; ++i) {
    wait_for_copies();
    sync_block();  // tile i is there, and nobody reads the one before any more
    if (Tile::kStages == 2 && i + 1 < count) {
      fetch(i + 1, memory.others((i + 1) % 2));
    }
    take(i, memory.others(i % Tile::kStages));
    if (Tile::kStages == 1 && i + 1 < count) {
      sync_block();
      fetch(i + 1, memory.others(0));
    }
  }
  wait_for_copies();
  sync_block();
}

// Of 16 own rows and 16 others: products become weights, value products the gradients of scores before scaling.
struct PairProducts {
  MatrixProduct weights[1];
  MatrixProduct scores[1];
};

template <class Own, class T>
AACO_DEVICE void multiply_pairs(const Own& own, const Own& own_second, const T* other, const T* other_second,
                                PairProducts& pairs) {
  multiply_own(own, other, pairs.weights);
  multiply_own(own_second, other_second, pairs.scores);
}

struct PairScale {
  float scale;
  float in_log2;  // the same for exp2

  AACO_DEVICE explicit PairScale(const AttentionArgs& args) : scale(args.scale), in_log2(args.scale * kLog2E) {}

  AACO_DEVICE void take(bool sees, float log_sum, float delta, float& weight, float& score) const {
    const float value_product = score;
    weight = sees ? exp2_fast(weight * in_log2 - log_sum * kLog2E) : 0;
    score = sees ? scale * weight * (value_product - delta) : 0;
  }
};

}  // namespace aaco::gpu
