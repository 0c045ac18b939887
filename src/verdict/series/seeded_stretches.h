// SPDX-License-Identifier: MIT
// The stretches of a series in which a change is looked for: seeded intervals (Kovacs, Li, Buehlmann, Munk, Biometrika
// 2023), a fixed set of layers. Each layer's stretches are shorter than the last one's by sqrt(2) and overlap by half,
// so that around each change some stretch holds it alone, in its middle. All together have O(n log n) values.
#pragma once

#include <cstddef>
#include <vector>

namespace aaco {

struct Stretch {
  size_t begin = 0;
  size_t end = 0;  // exclusive
};

// Of a series of `count` values, none shorter than `shortest`; the shortest first, then by place.
std::vector<Stretch> seeded_stretches(size_t count, size_t shortest);

}  // namespace aaco
