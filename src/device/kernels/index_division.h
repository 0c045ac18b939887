// SPDX-License-Identifier: MIT
// For kernels: indices divided in 32 bits where they fit, since 64-bit division is many times as slow. None is below 0.
#pragma once

#include "device/gpu/portability.h"

namespace aaco::gpu {

AACO_DEVICE int64_t quotient(int64_t a, int64_t b) {
  if (((a | b) >> 32) == 0) {
    return static_cast<uint32_t>(a) / static_cast<uint32_t>(b);
  }
  return a / b;
}

AACO_DEVICE int64_t remainder(int64_t a, int64_t b) { return a - quotient(a, b) * b; }

}  // namespace aaco::gpu
