// SPDX-License-Identifier: MIT
// The rate of a counter between two readings.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

namespace aaco {

class Rate {
 public:
  // A second since the previous call; none at the first, where the counter could not be read, or where it went back (it
  // wrapped, or the driver started again).
  std::optional<double> next(std::optional<double> count, int64_t t_ns) {
    const std::optional<double> before = std::exchange(count_, count);
    const int64_t before_ns = std::exchange(t_ns_, t_ns);
    if (!count || !before || *count < *before || t_ns <= before_ns) {
      return std::nullopt;
    }
    return (*count - *before) * 1e9 / static_cast<double>(t_ns - before_ns);
  }

 private:
  std::optional<double> count_;
  int64_t t_ns_ = 0;
};

}  // namespace aaco
