// SPDX-License-Identifier: MIT
// Arguments of the kernels in trial_kernels.cu, all of which take the same.
#pragma once

#include <cstdint>

namespace aaco {

struct TrialArgs {
  const float* in = nullptr;
  float* out = nullptr;
  int32_t* count = nullptr;
  uint64_t* extremes = nullptr;  // [2]: least, most
  int64_t n = 0;
};

}  // namespace aaco
