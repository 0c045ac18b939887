// SPDX-License-Identifier: MIT
// Sums over rows of fp32, written so that the compiler keeps them in vector registers.
#pragma once

#include <cstdint>

namespace aaco::cpu {

// The sum of products, in eight partial sums.
inline float dot(const float* a, const float* b, int64_t n) {
  constexpr int kSums = 8;
  float sums[kSums] = {};
  int64_t i = 0;
  for (; i + kSums <= n; i += kSums) {
    for (int part = 0; part < kSums; ++part) {
      sums[part] += a[i + part] * b[i + part];
    }
  }
  float total = 0;
  for (; i < n; ++i) {
    total += a[i] * b[i];
  }
  for (const float sum : sums) {
    total += sum;
  }
  return total;
}

// to += factor * from.
inline void add_scaled(float* to, float factor, const float* from, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    to[i] += factor * from[i];
  }
}

}  // namespace aaco::cpu
