// SPDX-License-Identifier: MIT
// The largest of values of which one may be no number.
#pragma once

#include <cmath>

namespace aaco {

// The larger one; NaN where either is NaN. std::max(a, NaN) is a, so that a gate on the largest error would pass.
inline double max_or_nan(double a, double b) { return std::isnan(a) || b <= a ? a : b; }

}  // namespace aaco
