// SPDX-License-Identifier: MIT
// Which of a row of commits made a program slower, as probabilities, and which commit to measure next. Pure.
//
// Commit 0 is good, the last one is bad, and each of 1 ... last may be the first slow one, all alike at the start. The
// logarithms of measured values are normal around one of two levels, with one variance. Levels and variance are unknown
// and integrated out: levels with a flat prior, the variance with an inverse gamma of shape 1 and scale (1 %)^2. With g
// values of fast and b values of slow commits, and squares S around the two means, a hypothesis has the likelihood
// (g b)^(-1/2) (scale + S / 2)^(-(shape + (g + b - 2) / 2)). Values further than 2.5 sigma outside the medians of the
// two ends are drawn in (sigma: of repeated values), so that one slow run convicts nobody.
//
// Both ends are measured in pairs, one right after the other. Of a pair only the difference d is known free of the
// machine's speed: with D in the middle of all pairs, the bad end's value is d and the good end's D - d. The two mirror
// each other, so each counts as half a value in g, b and S.
//
// Next comes the commit whose answer says most for its cost: the entropy of "is it slow" over 1, or over 2 where it
// must be built first. So a commit is measured again as long as its answer is in doubt. This is the noisy binary search
// of Burnashev and Zigangirov (1974), with repeats that cost less than a new build.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace aaco {

struct BisectLimits {
  size_t builds = 20;         // commits that are built or fail to, both ends among them
  size_t measurements = 100;  // of all commits together
  double certainty = 0.998;   // of the first slow commit, at which the search ends
};

// Each end is measured so often before anything else; they set both levels.
inline constexpr size_t kEndMeasurements = 5;
// The first slow commit and the one before it are measured so often before the search ends.
inline constexpr size_t kConfirmations = 3;

class CommitPosterior {
 public:
  // Commits 0 (good) ... last (bad); at least 1.
  explicit CommitPosterior(size_t last)
      : last_(last), measured_(last + 1), weights_(last + 1), skipped_(last + 1, false) {}

  // `log_value`: natural logarithm of the measured value; more is slower.
  void add(size_t commit, double log_value) { add(commit, log_value, 1); }
  // All pairs of both ends, once: the bad one's logarithm less the good one's. Other values are then on the scale of
  // the good commit: logarithms of ratios to it.
  void add_ends(const std::vector<double>& changes);
  // It cannot be built or measured.
  void skip(size_t commit) { skipped_[commit] = true; }

  // Of commit 1 ... last (index 0 ... last - 1) being the first slow one. Both ends must have a value.
  std::vector<double> probabilities() const;
  // The likeliest first slow commit, and its probability.
  std::pair<size_t, double> likeliest() const;
  // What to measure next; none when the answer is certain, nothing more can be learnt, or a limit is reached.
  std::optional<size_t> next(const BisectLimits& limits) const;

  size_t last() const { return last_; }
  size_t builds() const;        // as BisectLimits counts them
  size_t measurements() const;  // a pair of ends is two
  bool is_skipped(size_t commit) const { return skipped_[commit]; }
  const std::vector<double>& measured(size_t commit) const { return measured_[commit]; }

 private:
  void add(size_t commit, double log_value, double weight);
  std::pair<double, double> usual_range() const;
  double repeat_sigma() const;
  bool can_measure(size_t commit, const BisectLimits& limits) const;
  std::optional<size_t> unconfirmed(size_t first_slow, const BisectLimits& limits) const;

  size_t last_;
  std::vector<std::vector<double>> measured_;
  std::vector<std::vector<double>> weights_;  // of each value
  std::vector<bool> skipped_;
};

}  // namespace aaco
