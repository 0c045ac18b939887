// SPDX-License-Identifier: MIT
// Random weights that are the same bytes on every machine: integers and one rounding, no libm.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/tensor.h"

namespace aaco {

// Bell-shaped values: `mean` and standard deviation, and nothing beyond mean +- 3.4641 (2 sqrt 3) deviations.
struct Bell {
  double mean = 0;
  double deviation = 1;
};

// `count` values packed little-endian as `type` (kFloat or kFloat16). Each pair of seed and stream is a sequence of its
// own, so a tensor's values do not depend on which tensors come before it.
//
// A value is the sum of the four 16-bit parts of one SplitMix64 output (Steele, Lea & Flood, OOPSLA 2014), centred and
// scaled: the Irwin-Hall distribution of order 4. Preferred to Box-Muller, whose logarithm and cosine may differ in the
// last bit between C libraries and processors.
std::string seeded_values(uint64_t seed, std::string_view stream, int64_t count, Bell bell, ElementType type);

}  // namespace aaco
