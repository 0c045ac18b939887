// SPDX-License-Identifier: MIT
// Which elements dropout keeps: one copy for the host and every kind of kernel, so that all keep the same.
#pragma once

#include "device/kernels/philox.h"
#include "device/ops/training.h"

namespace aaco {

// Words below it are dropped: the whole part of so many 2^-32.
AACO_HOST_AND_DEVICE inline uint32_t dropped_below(double probability) {
  return static_cast<uint32_t>(probability * 0x1p32);
}

AACO_HOST_AND_DEVICE inline float scale_of_kept(double probability) {
  return static_cast<float>(1 / (1 - probability));
}

// The words of elements 4 * block to 4 * block + 3 of those of all ranks.
AACO_HOST_AND_DEVICE inline PhiloxBlock dropout_words(const DropoutMask& mask, int32_t step, uint64_t block) {
  return philox({{static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32), static_cast<uint32_t>(step),
                  static_cast<uint32_t>(mask.site)}},
                mask.seed);
}

}  // namespace aaco
