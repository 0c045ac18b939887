// SPDX-License-Identifier: MIT
// For kernels: GELU, x Phi(x), and its derivative. Phi is the distribution function of the normal distribution.
#pragma once

#include "device/gpu/portability.h"

namespace aaco::gpu {

// erfc keeps the digits of 1 + erf where x is far below 0.
AACO_DEVICE float normal_below(float x) {
  constexpr float kInverseSqrt2 = 0.70710678F;
  return 0.5F * erfcf(-x * kInverseSqrt2);
}

AACO_DEVICE float gelu_derivative(float x) {
  constexpr float kInverseSqrt2Pi = 0.39894228F;
  return normal_below(x) + x * expf(-0.5F * x * x) * kInverseSqrt2Pi;
}

}  // namespace aaco::gpu
