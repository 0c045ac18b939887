// SPDX-License-Identifier: MIT
#include "verdict/series/change_points.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <numeric>
#include <set>
#include <utility>

#include "verdict/series/drawn_in.h"
#include "verdict/series/seeded_stretches.h"
#include "verdict/series/step_evidence.h"

namespace aaco {

namespace {

constexpr double kSpikeSigmas = 3;
// Share of the noise between neighbours that residuals have at least: where ten rounded values are equal by chance, the
// noise is not zero all the same.
constexpr double kNoiseFloor = 0.2;
// A change that moves, and one that goes, make their neighbours move. Series settle within a few rounds.
constexpr int kMaxRounds = 100;
constexpr double kConfidence = 0.95;

// In units of their mean size around their median, so that sums of squares keep their digits.
std::vector<double> scaled(std::vector<double> values) {
  const double centre = median(values).value_or(0);
  double size = 0;
  for (double& value : values) {
    value -= centre;
    size += std::abs(value) / static_cast<double>(values.size());
  }
  if (size > 0) {
    for (double& value : values) {
      value /= size;
    }
  }
  return values;
}

// Equal values share the mean of their ranks.
std::vector<double> ranks_of(std::span<const double> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin + 1;
    while (end < order.size() && values[order[end]] == values[order[begin]]) {
      ++end;
    }
    for (size_t i = begin; i < end; ++i) {
      ranks[order[i]] = static_cast<double>(begin + end - 1) / 2;
    }
    begin = end;
  }
  return ranks;
}

// The most that noise is correlated, by what neighbours say and a standard error. Without the limit, a level that
// changes often would pass for one that wanders. Where it does wander, there is no limit.
double correlation_limit(std::span<const double> values) {
  constexpr double kWandering = 0.5;
  const double correlation = neighbour_correlation(values);
  return correlation > kWandering
             ? kMaxCorrelation
             : std::min(correlation + 1 / std::sqrt(static_cast<double>(values.size())), kMaxCorrelation);
}

StepEvidence step_evidence(std::vector<double> values) {
  std::vector<double> units = scaled(std::move(values));
  const double noise = kNoiseFloor * neighbour_sigma(units);
  constexpr double kRounding = 1e-12;  // of sums of values near 1
  const double limit = correlation_limit(units);
  return {std::move(units), noise * noise + kRounding, limit};
}

// The changes of one series while they are looked for.
class ChangeSearch {
 public:
  ChangeSearch(std::span<const double> values, const SeriesOptions& options)
      : options_(options),
        levels_(drawn_in(values, kMinSegment - 1, kSpikeSigmas)),
        threshold_(options.evidence_base +
                   options.evidence_per_log * std::log(static_cast<double>(std::max<size_t>(values.size(), 1)))) {
    kinds_.push_back(step_evidence(levels_));
    kinds_.push_back(step_evidence(ranks_of(values)));
  }

  std::vector<ChangePoint> run() {
    propose();
    settle();
    return points();
  }

 private:
  size_t count() const { return levels_.size(); }
  size_t begin_of(size_t i) const { return i == 0 ? 0 : places_[i - 1]; }
  size_t end_of(size_t i) const { return i + 1 == places_.size() ? count() : places_[i + 1]; }

  // And the values that showed it: the series, or its ranks.
  struct Split : StepSplit {
    const StepEvidence* source = nullptr;
  };
  Split best_split(size_t begin, size_t end) const {
    Split best;
    for (const StepEvidence& source : kinds_) {
      const StepSplit split = source.best_split(begin, end, kMinSegment, threshold_);
      if (best.source == nullptr || split.evidence > best.evidence) {
        best = {split, &source};
      }
    }
    return best;
  }

  double mean_level(size_t begin, size_t end) const {
    return std::accumulate(levels_.begin() + static_cast<ptrdiff_t>(begin),
                           levels_.begin() + static_cast<ptrdiff_t>(end), 0.0) /
           static_cast<double>(end - begin);
  }

  bool matters(size_t begin, size_t at, size_t end) const {
    const double before = mean_level(begin, at);
    return std::abs(mean_level(at, end) - before) >= options_.min_change * std::abs(before);
  }

  void propose() {
    std::set<size_t> places;
    for (const Stretch& stretch : seeded_stretches(count(), 2 * kMinSegment)) {
      const auto inside = places.upper_bound(stretch.begin);
      if (inside != places.end() && *inside < stretch.end) {
        continue;  // holds a change already
      }
      const StepSplit split = best_split(stretch.begin, stretch.end);
      if (split.evidence > threshold_) {
        places.insert(split.at);
      }
    }
    places_.assign(places.begin(), places.end());
    for (size_t i = 0; i <= places_.size();) {  // between changes, in stretches that are not seeded
      const size_t begin = i == 0 ? 0 : places_[i - 1];
      const size_t end = i == places_.size() ? count() : places_[i];
      const StepSplit split = best_split(begin, end);
      if (split.evidence > threshold_) {
        places_.insert(places_.begin() + static_cast<ptrdiff_t>(i), split.at);
      } else {
        ++i;
      }
    }
  }

  // Moves each change to its best place, and takes away those without enough evidence, the weakest of neighbours first.
  void settle() {
    for (int round = 0; round < kMaxRounds && !places_.empty(); ++round) {
      bool moved = false;
      splits_.assign(places_.size(), {});
      for (size_t i = 0; i < places_.size(); ++i) {
        splits_[i] = best_split(begin_of(i), end_of(i));
        if (splits_[i].evidence > threshold_ && splits_[i].at != places_[i]) {
          places_[i] = splits_[i].at;
          moved = true;
        }
        if (splits_[i].evidence > threshold_ && !matters(begin_of(i), places_[i], end_of(i))) {
          splits_[i].evidence = -1;
        }
      }
      if (!remove_weak() && !moved) {
        return;
      }
    }
  }

  // At least one where one is weak: the last of the weakest has no weaker neighbour.
  bool remove_weak() {
    std::vector<size_t> kept;
    for (size_t i = 0; i < places_.size(); ++i) {
      const double evidence = splits_[i].evidence;
      const bool weakest = (i == 0 || evidence <= splits_[i - 1].evidence) &&
                           (i + 1 == places_.size() || evidence < splits_[i + 1].evidence);
      if (evidence > threshold_ || !weakest) {
        kept.push_back(places_[i]);
      }
    }
    const bool removed = kept.size() != places_.size();
    places_ = std::move(kept);
    return removed;
  }

  std::vector<ChangePoint> points() const {
    std::vector<ChangePoint> points;
    for (size_t i = 0; i < places_.size(); ++i) {
      const Split split = best_split(begin_of(i), end_of(i));
      const auto [first, last] = split.source->places(begin_of(i), end_of(i), kMinSegment);
      ChangePoint point;
      point.build = places_[i];
      point.first_build = std::min(first, places_[i]);
      point.last_build = std::max(last, places_[i]);
      point.evidence = split.evidence;
      point.threshold = threshold_;
      add_size(point, begin_of(i), end_of(i), split.correlation);
      points.push_back(point);
    }
    return points;
  }

  // The ratio of two means by the delta method, with Student's t; autocorrelation makes a mean of n values one of
  // n (1 - rho) / (1 + rho).
  void add_size(ChangePoint& point, size_t begin, size_t end, double correlation) const {
    const double before_count = static_cast<double>(point.build - begin);
    const double after_count = static_cast<double>(end - point.build);
    point.before = mean_level(begin, point.build);
    point.after = mean_level(point.build, end);
    if (point.before <= 0) {
      return;
    }
    double before_squares = 0;
    double after_squares = 0;
    for (size_t i = begin; i < end; ++i) {
      const double distance = levels_[i] - (i < point.build ? point.before : point.after);
      (i < point.build ? before_squares : after_squares) += distance * distance;
    }
    const double ratio = point.after / point.before;
    const double widening = (1 + correlation) / (1 - correlation);
    const double variance = widening *
                            (after_squares / (after_count - 1) / after_count +
                             ratio * ratio * before_squares / (before_count - 1) / before_count) /
                            (point.before * point.before);
    const double degrees = std::min(before_count, after_count) - 1;
    const double reach = student_t_quantile((1 + kConfidence) / 2, degrees) * std::sqrt(variance);
    point.ratio = ratio;
    point.interval = Interval{ratio - reach, ratio + reach};
  }

  SeriesOptions options_;
  std::vector<double> levels_;  // values with spikes drawn in
  double threshold_;
  std::vector<StepEvidence> kinds_;
  std::vector<size_t> places_;
  std::vector<StepSplit> splits_;
};

}  // namespace

Result<std::vector<double>> build_medians(std::span<const std::vector<double>> builds) {
  std::vector<double> medians;
  for (size_t i = 0; i < builds.size(); ++i) {
    if (builds[i].empty() ||
        !std::all_of(builds[i].begin(), builds[i].end(), [](double v) { return std::isfinite(v); })) {
      return Error{ErrorKind::kUsage,
                   fmt::format("build {} of the series has no values, or one that is not finite", i + 1),
                   "leave such a build out"};
    }
    medians.push_back(median(builds[i]).value_or(0));
  }
  return medians;
}

std::vector<ChangePoint> find_change_points(std::span<const double> values, const SeriesOptions& options) {
  if (values.size() < 2 * kMinSegment) {
    return {};
  }
  return ChangeSearch(values, options).run();
}

}  // namespace aaco
