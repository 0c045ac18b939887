// SPDX-License-Identifier: MIT
#include "device/ops/float_array.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace aaco {

namespace {

[[noreturn]] void refuse(Dtype dtype) {
  static_cast<void>(std::fprintf(stderr, "aaco: %s is not a floating type\n", name_of(dtype)));
  std::abort();
}

template <class T>
void widen(const void* from, int64_t first, int64_t count, float* to) {
  const T* source = static_cast<const T*>(from) + first;
  for (int64_t i = 0; i < count; ++i) {
    to[i] = to_float(source[i]);
  }
}

}  // namespace

void read_floats(const void* from, Dtype dtype, int64_t first, int64_t count, float* to) {
  switch (dtype) {
    case Dtype::kF32:
      std::copy_n(static_cast<const float*>(from) + first, count, to);
      return;
    case Dtype::kF16:
      return widen<Half>(from, first, count, to);
    case Dtype::kBf16:
      return widen<Bfloat16>(from, first, count, to);
    case Dtype::kI32:
    case Dtype::kU8:
      break;
  }
  refuse(dtype);
}

void write_floats(void* to, Dtype dtype, int64_t first, int64_t count, const float* from) {
  switch (dtype) {
    case Dtype::kF32:
      std::copy_n(from, count, static_cast<float*>(to) + first);
      return;
    case Dtype::kF16:
      std::transform(from, from + count, static_cast<Half*>(to) + first, to_half);
      return;
    case Dtype::kBf16:
      std::transform(from, from + count, static_cast<Bfloat16*>(to) + first, to_bfloat16);
      return;
    case Dtype::kI32:
    case Dtype::kU8:
      break;
  }
  refuse(dtype);
}

float rounded_to(Dtype dtype, float value) {
  float held = 0;  // large enough for any of the types
  write_floats(&held, dtype, 0, 1, &value);
  read_floats(&held, dtype, 0, 1, &value);
  return value;
}

}  // namespace aaco
