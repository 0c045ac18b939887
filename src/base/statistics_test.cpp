// SPDX-License-Identifier: MIT
#include "base/statistics.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>

namespace aaco {
namespace {

constexpr double kClose = 1e-9;

std::vector<double> exponentials(const std::vector<double>& logs) {
  std::vector<double> values;
  for (const double log : logs) {
    values.push_back(std::exp(log));
  }
  return values;
}

std::vector<double> counting(size_t count) {
  std::vector<double> values(count);
  std::iota(values.begin(), values.end(), 1);
  return values;
}

TEST(Statistics, QuantilesAreOfTypeSeven) {
  const std::vector<double> values{4, 1, 3, 2};
  EXPECT_DOUBLE_EQ(*quantile(values, 0), 1);
  EXPECT_DOUBLE_EQ(*quantile(values, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(*median(values), 2.5);
  EXPECT_DOUBLE_EQ(*quantile(values, 1), 4);
  EXPECT_DOUBLE_EQ(*quantile(std::vector<double>{7}, 0.99), 7);
  EXPECT_FALSE(quantile({}, 0.5));
}

TEST(Statistics, SpreadInClosedForm) {
  const std::vector<double> values{2, 4, 4, 4, 5, 5, 7, 9};
  EXPECT_DOUBLE_EQ(*mean(values), 5);
  EXPECT_DOUBLE_EQ(*standard_deviation(values), std::sqrt(32.0 / 7));
  EXPECT_DOUBLE_EQ(*coefficient_of_variation(values), std::sqrt(32.0 / 7) / 5);
  EXPECT_DOUBLE_EQ(*robust_sigma(std::vector<double>{1, 2, 3, 4, 100}), 1.4826);
  EXPECT_FALSE(standard_deviation(std::vector<double>{1}));
  EXPECT_FALSE(coefficient_of_variation(std::vector<double>{-1, 1}));
}

// With one degree of freedom Student's t is Cauchy's distribution: 1/2 + atan(t) / pi. The other is tabled.
TEST(Statistics, StudentsT) {
  EXPECT_NEAR(student_t_cdf(1, 1), 0.75, kClose);
  EXPECT_NEAR(student_t_quantile(0.75, 1), 1, kClose);
  EXPECT_NEAR(student_t_quantile(0.975, 4), 2.7764451052, kClose);
}

TEST(Statistics, OverProcessesTheIntervalIsStudentsOnLogarithms) {
  const auto estimate = estimate_over_processes(exponentials({1, 2, 3}));
  const double half = 4.3026527297 / std::sqrt(3);  // t at 0.975 of 2 degrees; the standard deviation is 1
  EXPECT_NEAR(estimate->value, std::exp(2), kClose);
  EXPECT_NEAR(estimate->interval->low, std::exp(2 - half), 1e-8);
  EXPECT_NEAR(estimate->interval->high, std::exp(2 + half), 1e-6);
  EXPECT_FALSE(estimate_over_processes(exponentials({1, 2}))->interval);
  EXPECT_FALSE(estimate_over_processes(std::vector<double>{1, 0, 2}));
  EXPECT_FALSE(estimate_over_processes({}));
}

TEST(Statistics, TheCentreReachesToTheFartherEnd) {
  const std::vector<double> values{100, 110, 104};
  const Centre centre = centre_of(values);
  EXPECT_EQ(centre.value, 104);
  EXPECT_EQ(centre.spread, estimate_over_processes(values)->interval->high - 104);
  EXPECT_EQ(centre_of(std::vector<double>{5, 8}).spread, 1.5);
  EXPECT_EQ(centre_of(std::vector<double>{0, 8, 2}).spread, 6);  // no logarithm of zero: the range
  EXPECT_EQ(centre_of(std::vector<double>{7}).spread, 0);
  EXPECT_EQ(centre_of({}).spread, 0);
}

// Logarithms 0, 2 and 1, 5: variances of the means 1 and 4, Satterthwaite's degrees 5^2 / (1 + 16).
TEST(Statistics, WelchsRatio) {
  const auto ratio = welch_log_ratio(exponentials({0, 2}), exponentials({1, 5}), 0.95);
  EXPECT_NEAR(ratio->ratio, std::exp(2), kClose);
  EXPECT_NEAR(ratio->log_standard_error, std::sqrt(5), kClose);
  EXPECT_NEAR(ratio->degrees_of_freedom, 25.0 / 17, kClose);
  EXPECT_NEAR(std::log(ratio->interval.high) - 2, student_t_quantile(0.975, 25.0 / 17) * std::sqrt(5), 1e-6);
  EXPECT_FALSE(welch_log_ratio(exponentials({0}), exponentials({1, 5}), 0.95));
  EXPECT_FALSE(welch_log_ratio(exponentials({0, 2}), std::vector<double>{1, -1}, 0.95));
}

// What both of a pair share cancels: only the differences 1, 2, 3 count.
TEST(Statistics, PairedRatio) {
  const auto ratio = paired_log_ratio(exponentials({0, 5, -3}), exponentials({1, 7, 0}), 0.95);
  EXPECT_NEAR(ratio->ratio, std::exp(2), kClose);
  EXPECT_NEAR(ratio->log_standard_error, 1 / std::sqrt(3), kClose);
  EXPECT_DOUBLE_EQ(ratio->degrees_of_freedom, 2);
  EXPECT_FALSE(paired_log_ratio(exponentials({0, 1}), exponentials({0}), 0.95));
}

// By hand: of 10 fair tosses 9 or more are heads in (10 + 1) / 1024.
TEST(Statistics, BinomialTails) {
  EXPECT_DOUBLE_EQ(binomial_tail(0, 10, 0.5), 1);
  EXPECT_NEAR(binomial_tail(9, 10, 0.5), 11.0 / 1024, 1e-15);
  EXPECT_NEAR(binomial_tail(10, 10, 0.5), 1.0 / 1024, 1e-15);
  EXPECT_EQ(binomial_tail(11, 10, 0.5), 0);
  EXPECT_NEAR(binomial_tail(50, 50, 1.0 / 512) * std::pow(512, 50), 1, 1e-9);  // no cancellation far out
}

// The extremes hold the median with 1 - 2 / 2^n: of six that is 0.969, of five 0.9375. The largest of n is above the
// 99th percentile with 1 - 0.99^n, which passes 0.975 at 368.
TEST(Statistics, QuantileIntervalsNeedEnoughValues) {
  EXPECT_EQ(quantile_interval(counting(6), 0.5), (Interval{1, 6}));
  EXPECT_FALSE(quantile_interval(counting(5), 0.5));
  EXPECT_FALSE(quantile_interval(counting(367), 0.99));
  ASSERT_TRUE(quantile_interval(counting(368), 0.99));
  EXPECT_EQ(quantile_interval(counting(368), 0.99)->high, 368);
}

// Eight rising values: S = 28 of variance 8 7 21 / 18; with the continuity correction z = 27 / its root.
TEST(Statistics, TrendTest) {
  EXPECT_NEAR(*mann_kendall_p(counting(8)), std::erfc(27 / std::sqrt(8.0 * 7 * 21 / 18) / std::sqrt(2)), 1e-12);
  EXPECT_DOUBLE_EQ(*mann_kendall_p(std::vector<double>(8, 3.0)), 1);
  EXPECT_DOUBLE_EQ(*mann_kendall_p(std::vector<double>{1, 2, 3, 4, 4, 3, 2, 1}), 1);
  EXPECT_FALSE(mann_kendall_p(counting(7)));
}

// Of five hypotheses at 5 %: 0.01, 0.0125, 0.0167, 0.025, 0.05 in the order of their p-values.
TEST(Statistics, HolmTestsTheSmallestPAtTheLowestLevel) {
  EXPECT_THAT(holm_levels(std::vector{0.011, 0.009}, 5, 0.05),
              testing::ElementsAre(testing::DoubleEq(0.0125), testing::DoubleEq(0.01)));
}

// 0.03 is more than 0.0125: it and those above it are not rejected, 0.04 neither, though it is below 0.05.
TEST(Statistics, HolmEndsAtTheFirstThatIsNotRejected) {
  const std::vector<double> levels = holm_levels(std::vector{0.04, 0.03, 0.001}, 3, 0.025);
  EXPECT_THAT(levels,
              testing::ElementsAre(testing::DoubleEq(0.0125), testing::DoubleEq(0.0125), testing::DoubleEq(0.025 / 3)));
  EXPECT_TRUE(holm_levels({}, 0, 0.05).empty());
}

}  // namespace
}  // namespace aaco
