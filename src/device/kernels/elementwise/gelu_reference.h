// SPDX-License-Identifier: MIT
// GELU, x Phi(x), and its derivative in fp64, for the references. Phi is the distribution function of the normal
// distribution.
#pragma once

#include <cmath>
#include <numbers>

namespace aaco {

// erfc keeps its digits where x is far below 0.
inline double normal_below(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

inline double gelu(double x) { return x * normal_below(x); }

// Phi(x) + x phi(x)
inline double gelu_derivative(double x) {
  return normal_below(x) + x * std::exp(-x * x / 2) * (0.5 * std::numbers::inv_sqrtpi * std::numbers::sqrt2);
}

}  // namespace aaco
