// SPDX-License-Identifier: MIT
// When warm-up ends: where the latency series has become stationary.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace aaco {

// Of fewer no test is made, and is_stationary() is false.
inline constexpr int64_t kFewestTested = 10;

// The test, over the last iterations of the series so far (its second half, at least 10 and at most 200): no trend
// (Mann-Kendall, p > 0.05), and the medians of the window's two halves differ by at most 1 % or by no more than their
// sampling error allows (3 standard errors of the difference, from the median absolute deviation). Changing speed
// slowly is not stationary however small the noise; noise alone is.
bool is_stationary(std::span<const double> latencies_ns);

// Fed with each warm-up iteration; says when to stop. The test is made when the series has grown by a quarter since the
// last time, so that repeated looks do not find stationarity by luck.
class WarmUp {
 public:
  // Never fewer than `minimum` iterations; given up (stationary() false) at `limit_ns` of elapsed time after the
  // minimum. The first test is at twice the minimum, of 10 iterations at least and 20 at most.
  WarmUp(int64_t minimum, double limit_ns)
      : minimum_(minimum), limit_ns_(limit_ns), next_test_(std::clamp<int64_t>(2 * minimum, 10, 20)) {}

  // True when warm-up is over.
  bool add(double latency_ns);
  bool stationary() const { return stationary_; }
  int64_t iterations() const { return static_cast<int64_t>(latencies_ns_.size()); }
  const std::vector<double>& latencies_ns() const { return latencies_ns_; }

 private:
  int64_t minimum_;
  double limit_ns_;
  double elapsed_ns_ = 0;
  int64_t next_test_;
  bool stationary_ = false;
  std::vector<double> latencies_ns_;
};

}  // namespace aaco
