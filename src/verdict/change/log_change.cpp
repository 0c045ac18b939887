// SPDX-License-Identifier: MIT
#include "verdict/change/log_change.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace aaco {

namespace {

constexpr double kPower = 0.95;                // of the minimum detectable change
constexpr int64_t kMostProcesses = 1'000'000;  // a need above this is no advice
constexpr double kMostDegrees = 1e6;           // as good as normal

double quantile_at(const LogChange& change, double confidence) {
  return student_t_quantile(0.5 + confidence / 2, change.degrees);
}

double one_sided_confidence(const LogChange& change, double distance) {
  if (!(change.standard_error > 0)) {
    return distance > 0 ? 1 : 0;
  }
  return student_t_cdf(distance / change.standard_error, change.degrees);
}

// 1 - confidence loses what is small.
double one_sided_p(const LogChange& change, double distance) {
  if (!(change.standard_error > 0)) {
    return distance > 0 ? 0 : 1;
  }
  return student_t_cdf(-distance / change.standard_error, change.degrees);
}

// The same spread, estimated from n processes a side.
LogChange with_processes(const LogChange& change, double n) {
  const auto now = static_cast<double>(change.processes);
  LogChange other = change;
  other.standard_error = change.standard_error * std::sqrt(now / n);
  other.degrees = std::min(kMostDegrees, change.degrees * (n - 1) / (now - 1));
  return other;
}

Interval around(const LogChange& change, double confidence, double margin) {
  const double half =
      (change.standard_error > 0 ? quantile_at(change, confidence) * change.standard_error : 0) + std::log1p(margin);
  return {std::exp(change.d - half), std::exp(change.d + half)};
}

// Variance of a side's mean, with its degrees of freedom.
struct MeanVariance {
  double value = 0;
  double degrees = 1;
};

MeanVariance variance_of_mean(std::span<const double> logs, std::span<const double> sampling_errors) {
  const auto n = static_cast<double>(logs.size());
  MeanVariance variance{std::pow(*standard_deviation(logs), 2) / n, n - 1};
  double sampling = 0;
  for (const double error : sampling_errors) {
    sampling += error * error;
  }
  sampling /= n * n;
  return sampling > variance.value ? MeanVariance{sampling, kMostDegrees} : variance;
}

std::optional<std::vector<double>> logarithms(std::span<const double> values) {
  std::vector<double> logs;
  for (const double value : values) {
    if (!(value > 0) || !std::isfinite(value)) {
      return std::nullopt;
    }
    logs.push_back(std::log(value));
  }
  return logs.size() < 2 ? std::nullopt : std::optional(std::move(logs));
}

}  // namespace

double LogChange::upper() const { return std::log1p(min_effect); }
double LogChange::lower() const { return std::log1p(-min_effect); }

Interval LogChange::interval(double confidence) const { return around(*this, confidence, drift.of_change); }
Interval LogChange::equivalence_interval(double confidence) const {
  return around(*this, confidence, drift.of_equivalence);
}

double LogChange::p_slower() const { return one_sided_p(*this, d - std::log1p(drift.of_change) - upper()); }
double LogChange::p_faster() const { return one_sided_p(*this, lower() - std::log1p(drift.of_change) - d); }
double LogChange::confidence_slower() const {
  return one_sided_confidence(*this, d - std::log1p(drift.of_change) - upper());
}
double LogChange::confidence_faster() const {
  return one_sided_confidence(*this, lower() - std::log1p(drift.of_change) - d);
}
double LogChange::confidence_equivalent() const {
  const double margin = std::log1p(drift.of_equivalence);
  return one_sided_confidence(*this, std::min(upper() - margin - d, d - margin - lower()));
}
double LogChange::p_beyond_without_drift() const { return one_sided_p(*this, d > 0 ? d - upper() : lower() - d); }

double LogChange::minimum_detectable(double confidence) const {
  return std::expm1(upper() + std::log1p(drift.of_change) +
                    (quantile_at(*this, confidence) + student_t_quantile(kPower, degrees)) * standard_error);
}

std::optional<int64_t> LogChange::processes_needed(double confidence, double equivalence_confidence) const {
  const double boundary = d > 0 ? upper() : -lower();
  const double beyond = std::abs(d) - boundary - std::log1p(drift.of_change);
  const double within = boundary - std::abs(d) - std::log1p(drift.of_equivalence);
  const double room = beyond > 0 ? beyond : within;
  const double asked = beyond > 0 ? confidence : equivalence_confidence;
  const auto decides = [&](int64_t n) {
    const LogChange more = with_processes(*this, static_cast<double>(n));
    return quantile_at(more, asked) * more.standard_error < room;
  };
  if (!(room > 0) || !decides(kMostProcesses)) {
    return std::nullopt;
  }
  int64_t too_few = static_cast<int64_t>(processes);
  int64_t enough = kMostProcesses;
  while (enough - too_few > 1) {
    const int64_t middle = too_few + (enough - too_few) / 2;
    (decides(middle) ? enough : too_few) = middle;
  }
  return enough;
}

std::optional<LogChange> log_change(const SideValues& baseline, const SideValues& test, bool paired,
                                    const DriftMargin& drift, double min_effect) {
  const auto a = logarithms(baseline.values);
  const auto b = logarithms(test.values);
  if (!a || !b || (paired && a->size() != b->size())) {
    return std::nullopt;
  }
  LogChange change;
  change.d = *mean(*b) - *mean(*a);
  change.processes = std::max(a->size(), b->size());
  change.drift = drift;
  change.min_effect = min_effect;
  if (paired) {
    std::vector<double> differences;
    std::vector<double> errors;
    for (size_t i = 0; i < a->size(); ++i) {
      differences.push_back((*b)[i] - (*a)[i]);
      if (i < baseline.sampling_errors.size() && i < test.sampling_errors.size()) {
        errors.push_back(std::hypot(baseline.sampling_errors[i], test.sampling_errors[i]));
      }
    }
    const MeanVariance variance = variance_of_mean(differences, errors);
    change.standard_error = std::sqrt(variance.value);
    change.degrees = variance.degrees;
    return change;
  }
  const MeanVariance va = variance_of_mean(*a, baseline.sampling_errors);
  const MeanVariance vb = variance_of_mean(*b, test.sampling_errors);
  const double sum = va.value + vb.value;
  change.standard_error = std::sqrt(sum);
  // Satterthwaite.
  change.degrees = sum > 0 ? sum * sum / (va.value * va.value / va.degrees + vb.value * vb.value / vb.degrees)
                           : static_cast<double>(a->size() + b->size() - 2);
  change.degrees = std::min(change.degrees, kMostDegrees);
  return change;
}

double spread_of(std::span<const double> baseline, std::span<const double> test) {
  double squares = 0;
  double degrees = 0;
  for (const auto& side : {logarithms(baseline), logarithms(test)}) {
    if (side) {
      squares += std::pow(*standard_deviation(*side), 2) * static_cast<double>(side->size() - 1);
      degrees += static_cast<double>(side->size() - 1);
    }
  }
  return degrees > 0 ? std::expm1(std::sqrt(squares / degrees)) : 0;
}

}  // namespace aaco
