// SPDX-License-Identifier: MIT
// How much better a step describes a stretch of a series than a constant level does. Noise is AR(1) in both models,
// each with its own correlation, so that a level that wanders is no step. All splits of n values take O(n).
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace aaco {

// The best split of a stretch. evidence = (n - 3) ln(residuals without / residuals with a step): twice the log
// likelihood ratio, less where values are few. Negative: none, or a line describes the stretch better.
struct StepSplit {
  double evidence = -1;
  size_t at = 0;           // first value after the step
  double correlation = 0;  // of successive residuals, in [0, kMaxCorrelation]
};

// 95 % quantile of the likelihood ratio of a change's place: -2 ln(1 - sqrt(0.95)) (Hansen 2000, Econometrica 68:575).
inline constexpr double kPlaceEvidence = 7.35;
inline constexpr double kMaxCorrelation = 0.99;

class StepEvidence {
 public:
  // `floor`: variance that each residual has at least, such as that of rounding. Values: finite, near zero on average.
  StepEvidence(std::vector<double> values, double floor, double max_correlation);

  // Over [begin, end), with at least `min_side` values on each side. Evidence up to `threshold` is as good as none.
  StepSplit best_split(size_t begin, size_t end, size_t min_side, double threshold) const;
  // Where a step over [begin, end) may lie: the first and the last place with an evidence that is less than the best
  // one's by at most kPlaceEvidence.
  std::pair<size_t, size_t> places(size_t begin, size_t end, size_t min_side) const;

 private:
  struct Moments {
    double squares = 0;  // of residuals
    double lagged = 0;   // products of successive residuals
    double ends = 0;     // mean of the squares of the first and the last residual
    double levels = 1;   // parameters of the level
    size_t count = 0;
  };
  struct Fit {
    double residuals = 0;  // sum of squares of what AR(1) does not predict
    double correlation = 0;
  };
  double mean(size_t begin, size_t end) const { return (sum_[end] - sum_[begin]) * inverse_[end - begin]; }
  Fit fit(const Moments& moments) const;
  Moments constant_moments(size_t begin, size_t end) const;
  Moments line_moments(size_t begin, size_t end) const;
  Moments step_moments(size_t begin, size_t at, size_t end) const;

  std::vector<double> values_;
  std::vector<double> sum_;      // prefix sums: of values,
  std::vector<double> squares_;  // their squares,
  std::vector<double> lagged_;   // and values[i] * values[i - 1]
  std::vector<double> inverse_;  // 1 / i: a division takes longer than all else of a split
  double floor_;
  double max_correlation_;
};

}  // namespace aaco
