// SPDX-License-Identifier: MIT
// Inputs of the tests of operations: random values, and arrays of any floating type.
#pragma once

#include <cstddef>
#include <limits>
#include <random>
#include <vector>

#include "device/ops/float_array.h"

namespace aaco {

inline std::vector<float> random_values(int64_t n, uint32_t seed, float low = -1, float high = 1) {
  std::mt19937 engine(seed);
  std::vector<float> values(static_cast<size_t>(n));
  for (float& value : values) {
    value = low + (high - low) * static_cast<float>(engine() >> 8) * 0x1p-24F;
  }
  return values;
}

class TypedArray {
 public:
  TypedArray(Dtype dtype, const std::vector<float>& values)
      : dtype_(dtype), count_(static_cast<int64_t>(values.size())), bytes_(values.size() * size_of(dtype)) {
    write_floats(bytes_.data(), dtype, 0, count_, values.data());
  }
  void* data() { return bytes_.data(); }
  std::vector<float> values() const { return read_floats(bytes_.data(), dtype_, 0, count_); }

 private:
  Dtype dtype_;
  int64_t count_;
  std::vector<std::byte> bytes_;
};

inline TypedArray random_array(Dtype dtype, int64_t n, uint32_t seed) { return {dtype, random_values(n, seed)}; }

// What an operation must not read, and must not leave.
inline TypedArray poisoned(Dtype dtype, int64_t n) {
  return {dtype, std::vector<float>(static_cast<size_t>(n), std::numeric_limits<float>::quiet_NaN())};
}

}  // namespace aaco
