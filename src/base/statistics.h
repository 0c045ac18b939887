// SPDX-License-Identifier: MIT
// Statistics of measured times, once for the whole program. Sources: Kalibera & Jones, "Rigorous benchmarking in
// reasonable time" (ISMM 2013) for the process as unit of replication; Hyndman & Fan (1996) type 7 for quantiles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace aaco {

// A closed interval [low, high] at the stated confidence.
struct Interval {
  double low = 0;
  double high = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};

// A figure with the interval that its replicates support; no interval when there are too few of them.
struct Estimate {
  double value = 0;
  std::optional<Interval> interval;  // 95 %
};

// Linear interpolation between order statistics (type 7, numpy's default). `q` in [0, 1]. Empty input: no value.
std::optional<double> quantile(std::span<const double> values, double q);
std::optional<double> median(std::span<const double> values);
std::optional<double> mean(std::span<const double> values);
// Sample standard deviation (n - 1); needs two values.
std::optional<double> standard_deviation(std::span<const double> values);
// Standard deviation over mean; needs two values and a positive mean.
std::optional<double> coefficient_of_variation(std::span<const double> values);
// Median absolute deviation times 1.4826, which estimates sigma for normal data.
std::optional<double> robust_sigma(std::span<const double> values);

// Distribution-free interval of a quantile from order statistics (binomial); none when the sample is too small for
// both ends to exist (p99 needs 299 samples for an upper 95 % bound, more for two sides).
std::optional<Interval> quantile_interval(std::span<const double> values, double q, double confidence = 0.95);

// Median over processes of per-process medians, with Student's t interval on their logarithms. All values must be
// positive; the interval needs three.
std::optional<Estimate> estimate_over_processes(std::span<const double> process_medians);

// Half the width of Student's t interval (95 %) of the mean of values of so many processes; none of fewer than three.
std::optional<double> half_width_over_processes(std::span<const double> values);

// The same median, and how far from it the interval reaches; the range of the values where there is no interval. Zeros
// are allowed; of no values both are zero.
struct Centre {
  double value = 0;
  double spread = 0;
};
Centre centre_of(std::span<const double> process_medians);

// ln(test / baseline) as a ratio with its interval at `confidence`.
struct RatioEstimate {
  double ratio = 1;
  Interval interval{1, 1};
  double log_standard_error = 0;
  double degrees_of_freedom = 0;
};
// Two independent sets of per-process medians: Welch's t on logarithms, Satterthwaite's degrees of freedom. Needs two
// on each side.
std::optional<RatioEstimate> welch_log_ratio(std::span<const double> baseline, std::span<const double> test,
                                             double confidence);
// Interleaved pairs: t on ln(test_i / baseline_i). Needs two pairs; sizes must match.
std::optional<RatioEstimate> paired_log_ratio(std::span<const double> baseline, std::span<const double> test,
                                              double confidence);

// Holm's step-down procedure (1979): the level at which each of these hypotheses is tested so that one or more of all
// `hypotheses` is rejected wrongly with a probability of `level` at most, however they depend on each other. Rejected
// are those whose p-value is at most their level. Hypotheses beyond those given are taken to have larger p-values.
std::vector<double> holm_levels(std::span<const double> p_values, size_t hypotheses, double level);

// The exact probability of `successes` or more in `trials` that succeed with `chance` each.
double binomial_tail(uint64_t successes, uint64_t trials, double chance);

// Student's t: the quantile, and the probability of a value up to `t`.
double student_t_quantile(double probability, double degrees_of_freedom);
double student_t_cdf(double t, double degrees_of_freedom);

// Two-sided p-value of the Mann-Kendall trend test (normal approximation with continuity correction and tie
// correction). Needs eight values.
std::optional<double> mann_kendall_p(std::span<const double> values);

}  // namespace aaco
