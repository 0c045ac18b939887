// SPDX-License-Identifier: MIT
#include "engine/warmup.h"

#include <algorithm>
#include <cmath>

#include "base/statistics.h"

namespace aaco {

namespace {
constexpr auto kSmallestWindow = static_cast<size_t>(kFewestTested);
constexpr size_t kLargestWindow = 200;
constexpr double kTrendLevel = 0.05;
constexpr double kMedianTolerance = 0.01;
// Standard error of a median of normal data, in units of sigma / sqrt(n): sqrt(pi / 2).
constexpr double kMedianEfficiency = 1.2533;
constexpr double kStandardErrors = 3;
}  // namespace

bool is_stationary(std::span<const double> latencies_ns) {
  const size_t window = std::clamp(latencies_ns.size() / 2, kSmallestWindow, kLargestWindow);
  if (latencies_ns.size() < window) {
    return false;
  }
  const auto recent = latencies_ns.last(window);
  const double first = *median(recent.first(window / 2));
  const double second = *median(recent.last(window / 2));
  const double difference = std::abs(second - first);
  const double standard_error =
      kMedianEfficiency * *robust_sigma(recent) * std::sqrt(4.0 / static_cast<double>(window));
  const bool level = difference <= kMedianTolerance * first || difference <= kStandardErrors * standard_error;
  // A trend that is certain but moves the median by less than a tenth of the tolerance changes no figure.
  const bool trend = *mann_kendall_p(recent) <= kTrendLevel && difference > kMedianTolerance / 10 * first;
  return level && !trend;
}

bool WarmUp::add(double latency_ns) {
  latencies_ns_.push_back(latency_ns);
  elapsed_ns_ += latency_ns;
  if (iterations() < minimum_) {
    return false;
  }
  if (iterations() >= next_test_) {
    next_test_ = iterations() + std::max<int64_t>(iterations() / 4, 5);
    if (is_stationary(latencies_ns_)) {
      stationary_ = true;
      return true;
    }
  }
  return elapsed_ns_ >= limit_ns_;
}

}  // namespace aaco
