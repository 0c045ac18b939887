// SPDX-License-Identifier: MIT
// A change between two sets of per-process values, on the scale of natural logarithms: its estimate, how sure it is,
// and what drift between the two sides could have added to it. Welch's t for sides measured one after the other, paired
// t for interleaved ones.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/statistics.h"

namespace aaco {

// By how much drift may have moved a side, as fractions; zero where the sides ran interleaved.
struct DriftMargin {
  double of_change = 0;       // a change counts beyond it
  double of_equivalence = 0;  // equivalence holds within what it leaves
};

// One side: a value for each process, all positive.
struct SideValues {
  std::span<const double> values;
  // Of each value's logarithm, standard error that its own iterations give it; empty: unknown. Values cannot lie closer
  // together than that but by chance: five processes of 300 iterations each that happen to agree are not exact.
  std::span<const double> sampling_errors;
};

struct LogChange {
  double d = 0;  // ln(test / baseline), geometric means
  double standard_error = 0;
  double degrees = 0;
  size_t processes = 0;  // of the side that has more
  DriftMargin drift;
  double min_effect = 0;  // the smallest change that matters, a fraction

  double upper() const;  // ln(1 + min_effect)
  double lower() const;  // ln(1 - min_effect), negative

  // Of the ratio, widened by the margin.
  Interval interval(double confidence) const;
  Interval equivalence_interval(double confidence) const;
  // p of the one-sided tests that the ratio lies beyond min_effect and drift: above, below.
  double p_slower() const;
  double p_faster() const;
  // 1 - p of the same, where p itself loses nothing; and of the two tests that it lies within.
  double confidence_slower() const;
  double confidence_faster() const;
  double confidence_equivalent() const;
  // p of the test that the ratio lies beyond min_effect, in its direction, were there no drift.
  double p_beyond_without_drift() const;
  // The change that is found at this confidence of the interval with 95 % power, a fraction.
  double minimum_detectable(double confidence) const;
  // Processes a side with which the present change would be decided, if the spread stays: the estimate must be farther
  // from the boundary than drift plus t times the standard error. None where no number of processes decides it.
  std::optional<int64_t> processes_needed(double confidence, double equivalence_confidence) const;
};

// Needs two processes on each side, and as many on both where `paired`.
std::optional<LogChange> log_change(const SideValues& baseline, const SideValues& test, bool paired,
                                    const DriftMargin& drift, double min_effect);

// Pooled standard deviation of the logarithms within the sides, as a fraction; zero of fewer than two values a side.
double spread_of(std::span<const double> baseline, std::span<const double> test);

}  // namespace aaco
