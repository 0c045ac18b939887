// SPDX-License-Identifier: MIT
// Arrays of any floating type as the host computes with them: a stretch is read as fp32, and written back rounded to
// nearest even. Another type than fp32, fp16 or bf16 is a mistake of the caller's and ends the program.
#pragma once

#include <vector>

#include "device/ops/dtype.h"

namespace aaco {

// Elements [first, first + count).
void read_floats(const void* from, Dtype dtype, int64_t first, int64_t count, float* to);
void write_floats(void* to, Dtype dtype, int64_t first, int64_t count, const float* from);

inline std::vector<float> read_floats(const void* from, Dtype dtype, int64_t first, int64_t count) {
  std::vector<float> values(static_cast<size_t>(count));
  read_floats(from, dtype, first, count, values.data());
  return values;
}

// `value` as an array of this type holds it.
float rounded_to(Dtype dtype, float value);

}  // namespace aaco
