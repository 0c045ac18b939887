// SPDX-License-Identifier: MIT
#include "verdict/series/step_evidence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace aaco {

StepEvidence::StepEvidence(std::vector<double> values, double floor, double max_correlation)
    : values_(std::move(values)), floor_(floor), max_correlation_(max_correlation) {
  const size_t count = values_.size();
  sum_.assign(count + 1, 0);
  squares_.assign(count + 1, 0);
  lagged_.assign(count + 1, 0);
  inverse_.assign(count + 1, 0);
  for (size_t i = 0; i < count; ++i) {
    sum_[i + 1] = sum_[i] + values_[i];
    squares_[i + 1] = squares_[i] + values_[i] * values_[i];
    lagged_[i + 1] = lagged_[i] + (i > 0 ? values_[i] * values_[i - 1] : 0);
    inverse_[i + 1] = 1 / static_cast<double>(i + 1);
  }
}

StepEvidence::Moments StepEvidence::constant_moments(size_t begin, size_t end) const {
  const double count = static_cast<double>(end - begin);
  const double total = sum_[end] - sum_[begin];
  const double level = total * inverse_[end - begin];
  const double first = values_[begin] - level;
  const double last = values_[end - 1] - level;
  Moments moments;
  moments.squares = squares_[end] - squares_[begin] - count * level * level;
  moments.lagged = lagged_[end] - lagged_[begin + 1] - level * (2 * total - values_[begin] - values_[end - 1]) +
                   (count - 1) * level * level;
  moments.ends = (first * first + last * last) / 2;
  moments.count = end - begin;
  return moments;
}

StepEvidence::Moments StepEvidence::line_moments(size_t begin, size_t end) const {
  const double count = static_cast<double>(end - begin);
  const double middle = (count - 1) / 2;
  const double level = mean(begin, end);
  double along = 0;
  for (size_t i = begin; i < end; ++i) {
    along += (static_cast<double>(i - begin) - middle) * values_[i];
  }
  const double slope = along / (count * (count * count - 1) / 12);
  Moments moments;
  double previous = 0;
  double first = 0;
  for (size_t i = begin; i < end; ++i) {
    const double residual = values_[i] - level - slope * (static_cast<double>(i - begin) - middle);
    moments.squares += residual * residual;
    if (i == begin) {
      first = residual;
    } else {
      moments.lagged += residual * previous;
    }
    previous = residual;
  }
  moments.ends = (first * first + previous * previous) / 2;
  moments.levels = 2;
  moments.count = end - begin;
  return moments;
}

StepEvidence::Moments StepEvidence::step_moments(size_t begin, size_t at, size_t end) const {
  const double before = mean(begin, at);
  const double after = mean(at, end);
  const double before_count = static_cast<double>(at - begin);
  const double after_count = static_cast<double>(end - at);
  const double first = values_[begin] - before;
  const double last = values_[end - 1] - after;
  Moments moments;
  moments.squares = squares_[end] - squares_[begin] - before_count * before * before - after_count * after * after;
  const double before_lagged = lagged_[at] - lagged_[begin + 1] -
                               before * (2 * before_count * before - values_[begin] - values_[at - 1]) +
                               (before_count - 1) * before * before;
  const double after_lagged = lagged_[end] - lagged_[at + 1] -
                              after * (2 * after_count * after - values_[at] - values_[end - 1]) +
                              (after_count - 1) * after * after;
  moments.lagged = before_lagged + after_lagged + (values_[at - 1] - before) * (values_[at] - after);
  moments.ends = (first * first + last * last) / 2;
  moments.levels = 2;
  moments.count = end - begin;
  return moments;
}

// Burg's estimate, corrected for the bias that fitted levels bring (Kendall 1954: (1 + 3 rho) / n for one level).
StepEvidence::Fit StepEvidence::fit(const Moments& moments) const {
  const double inner = std::max(moments.squares - moments.ends, 0.0);
  double correlation = inner > 0 ? moments.lagged / inner : 0;
  if (correlation > 0) {
    correlation += (moments.levels + 2 * correlation) * inverse_[moments.count];
  }
  correlation = std::clamp(correlation, 0.0, max_correlation_);
  const double residuals = inner * (1 + correlation * correlation) - 2 * correlation * moments.lagged;
  return {std::max(residuals, 0.0) + floor_ * static_cast<double>(moments.count - 1), correlation};
}

StepSplit StepEvidence::best_split(size_t begin, size_t end, size_t min_side, double threshold) const {
  StepSplit best;
  best.at = begin;
  if (end - begin < 2 * min_side) {
    return best;
  }
  Fit best_fit{std::numeric_limits<double>::infinity(), 0};
  for (size_t at = begin + min_side; at + min_side <= end; ++at) {
    const Fit split = fit(step_moments(begin, at, end));
    if (split.residuals < best_fit.residuals) {
      best_fit = split;
      best.at = at;
    }
  }
  best.correlation = best_fit.correlation;
  const double evidence =
      static_cast<double>(end - begin - 3) * std::log(fit(constant_moments(begin, end)).residuals / best_fit.residuals);
  if (evidence > threshold && fit(line_moments(begin, end)).residuals >= best_fit.residuals) {
    best.evidence = evidence;
  }
  return best;
}

std::pair<size_t, size_t> StepEvidence::places(size_t begin, size_t end, size_t min_side) const {
  double least = std::numeric_limits<double>::infinity();
  for (size_t at = begin + min_side; at + min_side <= end; ++at) {
    least = std::min(least, fit(step_moments(begin, at, end)).residuals);
  }
  const double near = least * std::exp(kPlaceEvidence / static_cast<double>(end - begin - 3));
  std::pair<size_t, size_t> places{begin + min_side, end - min_side};
  while (fit(step_moments(begin, places.first, end)).residuals > near) {
    ++places.first;
  }
  while (fit(step_moments(begin, places.second, end)).residuals > near) {
    --places.second;
  }
  return places;
}

}  // namespace aaco
