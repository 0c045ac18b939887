// SPDX-License-Identifier: MIT
// Values of a counter in the order of time, with the least and the largest of each 64 and each 64 times 64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace aaco::serve {

struct CounterPoint {
  int64_t time_ns = 0;
  double value = 0;
};

struct CounterRange {
  double min = 0;
  double max = 0;
};

// Points by time; values that are no numbers are left out by the caller.
std::string pack_counter(std::span<const CounterPoint> points);

// Over bytes of pack_counter(), which have to outlive it and be aligned to 8.
class CounterSeries {
 public:
  static constexpr size_t kBlockPoints = 64;  // whose extremes are known

  CounterSeries() = default;
  // Errors: kUsage where the bytes are none of a series of so many points.
  static Result<CounterSeries> open(std::span<const char> bytes, size_t count);

  size_t size() const { return points_.size(); }
  const CounterPoint& operator[](size_t i) const { return points_[i]; }
  size_t first_from(int64_t time_ns) const;
  // From `from` on, where it is looked for `step` points ahead first.
  size_t first_from(int64_t time_ns, size_t from, size_t step) const;
  CounterRange range(size_t first, size_t end) const;  // of at least one point

 private:
  std::span<const CounterPoint> points_;
  std::span<const CounterRange> fine_;    // of 64 points each
  std::span<const CounterRange> coarse_;  // of 64 of these
};

}  // namespace aaco::serve
