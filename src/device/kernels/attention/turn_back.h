// SPDX-License-Identifier: MIT
// The rotation of positions (RotaryArgs) undone in gradients, before they are rounded.
#pragma once

#include "device/gpu/portability.h"

namespace aaco::gpu {

// Columns `column` (even) and the next of the row at a position. `turn`: AttentionGradArgs's; nothing where it is null.
AACO_DEVICE void turn_back(const float* turn, int64_t position, int32_t dim, int32_t column, float& first,
                           float& second) {
  if (turn == nullptr || column >= dim) {
    return;
  }
  const float* const angle = turn + position * dim + column;
  const float x = first;
  first = x * angle[0] + second * angle[1];
  second = second * angle[0] - x * angle[1];
}

}  // namespace aaco::gpu
