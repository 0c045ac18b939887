// SPDX-License-Identifier: MIT
#include "verdict/change/odd_process.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace aaco {

namespace {

constexpr double kLeastGap = 0.05;  // on the scale of logarithms

// How many times the range of the rest the gap must be: with few values their range says little.
double ranges_of_gap(size_t values) { return values == 3 ? 20 : values == 4 ? 6 : 3; }

// cumulative[u]: probability that at most u of n m pairs are inverted, of two samples of one distribution. The
// generating function is the Gaussian binomial coefficient, multiplied out factor by factor.
std::vector<double> rank_distribution(size_t n, size_t m) {
  std::vector<double> counts(n * m + 1, 0);
  counts[0] = 1;
  for (size_t i = 1; i <= m; ++i) {
    for (size_t u = counts.size(); u-- > n + i;) {
      counts[u] -= counts[u - n - i];
    }
    for (size_t u = i; u < counts.size(); ++u) {
      counts[u] += counts[u - i];
    }
  }
  std::partial_sum(counts.begin(), counts.end(), counts.begin());
  const double all = counts.back();
  for (double& count : counts) {
    count /= all;
  }
  return counts;
}

// Above this many values the counts lose digits; the first of each side stand for all then, which is conservative.
constexpr size_t kMostValues = 40;

std::span<const double> at_most(std::span<const double> values) {
  return values.first(std::min(values.size(), kMostValues));
}

}  // namespace

std::vector<size_t> odd_values(std::span<const double> values) {
  if (values.size() < 3) {
    return {};
  }
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t i) { return values[i]; });
  const auto log_at = [&](size_t rank) { return std::log(values[order[rank]]); };
  const size_t most = std::max<size_t>(1, values.size() / 4);
  for (size_t odd = 1; odd <= most; ++odd) {
    const size_t rest = values.size() - odd;
    const double least = ranges_of_gap(values.size());
    const double range_below = log_at(rest - 1) - log_at(0);
    if (log_at(rest) - log_at(rest - 1) > std::max(kLeastGap, least * range_below)) {
      return {order.begin() + static_cast<std::ptrdiff_t>(rest), order.end()};
    }
    const double range_above = log_at(values.size() - 1) - log_at(odd);
    if (log_at(odd) - log_at(odd - 1) > std::max(kLeastGap, least * range_above)) {
      return {order.begin(), order.begin() + static_cast<std::ptrdiff_t>(odd)};
    }
  }
  return {};
}

RankChange rank_change(std::span<const double> baseline, std::span<const double> test, double tail) {
  const auto a = at_most(baseline);
  const auto b = at_most(test);
  std::vector<double> differences;
  differences.reserve(a.size() * b.size());
  for (const double from : a) {
    for (const double to : b) {
      differences.push_back(std::log(to / from));
    }
  }
  std::ranges::sort(differences);
  RankChange change{*median(differences), std::nullopt};
  const std::vector<double> at_most_inverted = rank_distribution(a.size(), b.size());
  size_t below = 0;  // as many differences may lie outside at either end
  while (below < differences.size() / 2 && at_most_inverted[below] <= tail) {
    ++below;
  }
  if (below > 0) {
    change.interval = Interval{differences[below - 1], differences[differences.size() - below]};
  }
  return change;
}

double rank_p_above(std::span<const double> baseline, std::span<const double> test, double ratio) {
  const auto a = at_most(baseline);
  const auto b = at_most(test);
  size_t inverted = 0;
  for (const double from : a) {
    inverted += static_cast<size_t>(std::ranges::count_if(b, [&](double to) { return to <= from * ratio; }));
  }
  return rank_distribution(a.size(), b.size())[inverted];
}

std::optional<int64_t> values_needed(double odd_share, double tail) {
  // Of n n pairs the share `odd_share` is inverted; the normal approximation of how many are by chance.
  for (int64_t n = 3; n <= 1000; ++n) {
    const auto values = static_cast<double>(n);
    const double sigma = values * std::sqrt((2 * values + 1) / 12);
    if ((0.5 - odd_share) * values * values / sigma >= student_t_quantile(1 - tail, 1e6)) {
      return n;
    }
  }
  return std::nullopt;
}

}  // namespace aaco
