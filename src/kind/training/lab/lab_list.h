// SPDX-License-Identifier: MIT
// The labs, one line each: lab_NAME() of NAME_lab.cpp.
#pragma once

#include "kind/training/lab/lab.h"

// In their order.
// clang-format off
#define AACO_LABS(X)                                                                                        \
  X(baseline) X(memory) X(bottleneck) X(profiler) X(fusion) X(flash_attention) X(first_kernel)              \
  X(kernel_tuning) X(ultra_fusion) X(registers) X(roofline) X(regression_hunt)
// clang-format on

namespace aaco {

#define AACO_LAB_DECLARATION(name) Lab lab_##name();
AACO_LABS(AACO_LAB_DECLARATION)
#undef AACO_LAB_DECLARATION

}  // namespace aaco
