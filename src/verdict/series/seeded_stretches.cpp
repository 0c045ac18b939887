// SPDX-License-Identifier: MIT
#include "verdict/series/seeded_stretches.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace aaco {

namespace {

void add_layer(std::vector<Stretch>& stretches, size_t count, size_t length) {
  if (length == count) {
    stretches.push_back({0, count});
    return;
  }
  const size_t step = std::max<size_t>(length / 2, 1);
  const size_t steps = (count - length + step - 1) / step;
  for (size_t i = 0; i <= steps; ++i) {
    const size_t begin = (i * (count - length) + steps / 2) / steps;
    stretches.push_back({begin, begin + length});
  }
}

}  // namespace

std::vector<Stretch> seeded_stretches(size_t count, size_t shortest) {
  std::vector<size_t> lengths;
  for (double length = static_cast<double>(count); length >= static_cast<double>(shortest);
       length /= std::numbers::sqrt2) {
    const size_t whole = static_cast<size_t>(std::ceil(length));
    if (lengths.empty() || lengths.back() != whole) {
      lengths.push_back(whole);
    }
  }
  std::vector<Stretch> stretches;
  std::for_each(lengths.rbegin(), lengths.rend(), [&](size_t length) { add_layer(stretches, count, length); });
  return stretches;
}

}  // namespace aaco
