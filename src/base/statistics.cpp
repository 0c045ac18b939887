// SPDX-License-Identifier: MIT
#include "base/statistics.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <map>
#include <numeric>

namespace aaco {

namespace {

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  std::sort(copy.begin(), copy.end());
  return copy;
}

double quantile_of_sorted(const std::vector<double>& values, double q) {
  const double position = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<size_t>(position);
  const size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (position - static_cast<double>(below)) * (values[above] - values[below]);
}

std::optional<std::vector<double>> logarithms(std::span<const double> values) {
  std::vector<double> logs;
  logs.reserve(values.size());
  for (const double value : values) {
    if (!(value > 0) || !std::isfinite(value)) {
      return std::nullopt;
    }
    logs.push_back(std::log(value));
  }
  return logs;
}

RatioEstimate ratio_of(double log_ratio, double standard_error, double degrees, double confidence) {
  const double half = standard_error > 0 ? student_t_quantile(0.5 + confidence / 2, degrees) * standard_error : 0;
  return {std::exp(log_ratio), {std::exp(log_ratio - half), std::exp(log_ratio + half)}, standard_error, degrees};
}

}  // namespace

std::optional<double> quantile(std::span<const double> values, double q) {
  if (values.empty()) {
    return std::nullopt;
  }
  return quantile_of_sorted(sorted(values), q);
}

std::optional<double> median(std::span<const double> values) { return quantile(values, 0.5); }

std::optional<double> mean(std::span<const double> values) {
  if (values.empty()) {
    return std::nullopt;
  }
  double sum = 0;
  for (const double value : values) {
    sum += value;
  }
  return sum / static_cast<double>(values.size());
}

std::optional<double> standard_deviation(std::span<const double> values) {
  if (values.size() < 2) {
    return std::nullopt;
  }
  const double centre = mean(values).value();
  double squares = 0;
  for (const double value : values) {
    squares += (value - centre) * (value - centre);
  }
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

std::optional<double> coefficient_of_variation(std::span<const double> values) {
  const auto sigma = standard_deviation(values);
  if (!sigma || !(*mean(values) > 0)) {
    return std::nullopt;
  }
  return *sigma / *mean(values);
}

std::optional<double> robust_sigma(std::span<const double> values) {
  const auto centre = median(values);
  if (!centre) {
    return std::nullopt;
  }
  std::vector<double> deviations;
  deviations.reserve(values.size());
  for (const double value : values) {
    deviations.push_back(std::abs(value - *centre));
  }
  return 1.4826 * median(deviations).value();
}

std::optional<Interval> quantile_interval(std::span<const double> values, double q, double confidence) {
  const auto n = static_cast<double>(values.size());
  if (values.empty()) {
    return std::nullopt;
  }
  // The number of samples at or below the true quantile is Binomial(n, q): ranks low and high hold it with
  // probability at least `confidence`, half of the rest on each side.
  const double tail = (1 - confidence) / 2;
  const boost::math::binomial_distribution<double> below(n, q);
  const auto cdf = [&](int64_t k) { return k < 0 ? 0.0 : boost::math::cdf(below, static_cast<double>(k)); };
  auto low = static_cast<int64_t>(std::floor(n * q));
  while (low >= 1 && cdf(low - 1) > tail) {
    --low;
  }
  auto high = static_cast<int64_t>(std::floor(n * q));
  while (high <= static_cast<int64_t>(n) && 1 - cdf(high - 1) > tail) {
    ++high;
  }
  if (low < 1 || high > static_cast<int64_t>(n)) {
    return std::nullopt;
  }
  const std::vector<double> order = sorted(values);
  return Interval{order[static_cast<size_t>(low - 1)], order[static_cast<size_t>(high - 1)]};
}

std::optional<double> half_width_over_processes(std::span<const double> values) {
  if (values.size() < 3) {
    return std::nullopt;
  }
  const auto n = static_cast<double>(values.size());
  return student_t_quantile(0.975, n - 1) * *standard_deviation(values) / std::sqrt(n);
}

std::optional<Estimate> estimate_over_processes(std::span<const double> process_medians) {
  const auto logs = logarithms(process_medians);
  if (!logs || logs->empty()) {
    return std::nullopt;
  }
  Estimate estimate{*median(process_medians), std::nullopt};
  if (const auto width = half_width_over_processes(*logs)) {
    const double half = *width;
    const double centre = *mean(*logs);
    // The median may lie outside the mean's interval when one process is far off; the interval then reaches to it.
    estimate.interval =
        Interval{std::min(std::exp(centre - half), estimate.value), std::max(std::exp(centre + half), estimate.value)};
  }
  return estimate;
}

Centre centre_of(std::span<const double> process_medians) {
  if (process_medians.empty()) {
    return {};
  }
  const auto [low, high] = std::ranges::minmax(process_medians);
  const double middle = median(process_medians).value();
  const auto estimate = estimate_over_processes(process_medians);
  const Interval reach =
      low < high && estimate ? estimate->interval.value_or(Interval{low, high}) : Interval{low, high};
  return {middle, std::max(middle - reach.low, reach.high - middle)};
}

std::optional<RatioEstimate> welch_log_ratio(std::span<const double> baseline, std::span<const double> test,
                                             double confidence) {
  const auto a = logarithms(baseline);
  const auto b = logarithms(test);
  if (!a || !b || a->size() < 2 || b->size() < 2) {
    return std::nullopt;
  }
  const auto na = static_cast<double>(a->size());
  const auto nb = static_cast<double>(b->size());
  const double va = std::pow(*standard_deviation(*a), 2) / na;
  const double vb = std::pow(*standard_deviation(*b), 2) / nb;
  const double degrees = va + vb > 0 ? (va + vb) * (va + vb) / (va * va / (na - 1) + vb * vb / (nb - 1)) : na + nb - 2;
  return ratio_of(*mean(*b) - *mean(*a), std::sqrt(va + vb), degrees, confidence);
}

std::optional<RatioEstimate> paired_log_ratio(std::span<const double> baseline, std::span<const double> test,
                                              double confidence) {
  const auto a = logarithms(baseline);
  const auto b = logarithms(test);
  if (!a || !b || a->size() != b->size() || a->size() < 2) {
    return std::nullopt;
  }
  std::vector<double> differences;
  differences.reserve(a->size());
  for (size_t i = 0; i < a->size(); ++i) {
    differences.push_back((*b)[i] - (*a)[i]);
  }
  const auto n = static_cast<double>(differences.size());
  return ratio_of(mean(differences).value(), standard_deviation(differences).value() / std::sqrt(n), n - 1, confidence);
}

double binomial_tail(uint64_t successes, uint64_t trials, double chance) {
  if (successes == 0) {
    return 1;
  }
  if (successes > trials) {
    return 0;
  }
  const boost::math::binomial_distribution<double> of_all(static_cast<double>(trials), chance);
  return boost::math::cdf(boost::math::complement(of_all, static_cast<double>(successes - 1)));
}

std::vector<double> holm_levels(std::span<const double> p_values, size_t hypotheses, double level) {
  std::vector<size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return p_values[i]; });
  std::vector<double> levels(p_values.size());
  double step = 0;
  for (size_t rank = 0; rank < order.size(); ++rank) {
    const bool goes_on = rank == 0 || p_values[order[rank - 1]] <= step;  // else the procedure has ended there
    step = goes_on ? level / static_cast<double>(hypotheses - rank) : step;
    levels[order[rank]] = step;
  }
  return levels;
}

double student_t_quantile(double probability, double degrees_of_freedom) {
  return boost::math::quantile(boost::math::students_t_distribution<double>(degrees_of_freedom), probability);
}

double student_t_cdf(double t, double degrees_of_freedom) {
  return boost::math::cdf(boost::math::students_t_distribution<double>(degrees_of_freedom), t);
}

std::optional<double> mann_kendall_p(std::span<const double> values) {
  const size_t n = values.size();
  if (n < 8) {
    return std::nullopt;
  }
  int64_t s = 0;
  for (size_t i = 0; i + 1 < n; ++i) {
    for (size_t j = i + 1; j < n; ++j) {
      s += (values[j] > values[i]) - (values[j] < values[i]);
    }
  }
  std::map<double, int64_t> groups;
  for (const double value : values) {
    ++groups[value];
  }
  const auto term = [](double m) { return m * (m - 1) * (2 * m + 5); };
  double variance = term(static_cast<double>(n));
  for (const auto& [value, count] : groups) {
    variance -= term(static_cast<double>(count));
  }
  variance /= 18;
  if (variance <= 0) {
    return 1.0;
  }
  const double z = s == 0 ? 0 : (static_cast<double>(s) - (s > 0 ? 1 : -1)) / std::sqrt(variance);
  return 2 * boost::math::cdf(boost::math::complement(boost::math::normal_distribution<double>(), std::abs(z)));
}

}  // namespace aaco
