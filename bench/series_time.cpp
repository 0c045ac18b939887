// SPDX-License-Identifier: MIT
// series_time [REPEATS]: processor seconds that the change points of 100,000 builds with one step take, a line for each
// of REPEATS (9), in one process. What bisect_for_real.py measures: it needs src/verdict/series and
// src/base/statistics.cpp alone, so that a commit builds in seconds.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <vector>

#include "verdict/series/change_points.h"

namespace {

constexpr size_t kBuilds = 100'000;

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// The same bits in each run: the sum of twelve uniform numbers, around 100 and from the middle on 102.
std::vector<double> series() {
  std::mt19937_64 bits(1);
  std::vector<double> values(kBuilds);
  for (size_t i = 0; i < values.size(); ++i) {
    double sum = -6;
    for (int k = 0; k < 12; ++k) {
      sum += static_cast<double>(bits() >> 11U) * 0x1p-53;
    }
    values[i] = (i < kBuilds / 2 ? 100 : 102) + sum;
  }
  return values;
}

}  // namespace

int main(int count, char** words) {
  const std::vector<double> values = series();
  const int repeats = count > 1 ? std::atoi(words[1]) : 9;
  for (int i = 0; i < repeats; ++i) {
    const double start = processor_seconds();
    const size_t changes = aaco::find_change_points(values).size();
    std::printf("%.9f\n", processor_seconds() - start);
    if (changes != 1) {
      std::fprintf(stderr, "series_time: %zu changes of one\n", changes);
      return 1;
    }
  }
  return 0;
}
