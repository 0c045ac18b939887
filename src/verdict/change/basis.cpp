// SPDX-License-Identifier: MIT
#include "verdict/change/basis.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

#include "verdict/change/odd_process.h"
#include "verdict/change/signed_ranks.h"

namespace aaco {

namespace {

constexpr double kMostForecast = 1e6;  // processes; more is no advice

Interval hull(const Interval& interval, double value) {
  return {std::min(interval.low, value), std::max(interval.high, value)};
}

}  // namespace

std::vector<double> Basis::without_odd() const {
  std::vector<double> rest;
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::ranges::find(odd, i) == odd.end()) {
      rest.push_back(values[i]);
    }
  }
  return rest;
}

Finding finding_of(const LogChange& change, const SideLevels& levels) {
  return {.ratio = std::exp(change.d),
          .interval = change.interval(1 - 2 * levels.change),
          .within = change.equivalence_interval(1 - 2 * levels.equivalence),
          .p_slower = change.p_slower(),
          .p_faster = change.p_faster(),
          .confidence_slower = change.confidence_slower(),
          .confidence_faster = change.confidence_faster(),
          .confidence_equivalent = change.confidence_equivalent()};
}

double median_log_ratio(const Basis& baseline, const Basis& test, bool paired) {
  return paired ? *median(pair_differences(baseline, test)) : std::log(*median(test.values) / *median(baseline.values));
}

std::vector<double> pair_differences(const Basis& baseline, const Basis& test) {
  std::vector<double> differences;
  for (size_t i = 0; i < baseline.values.size(); ++i) {
    differences.push_back(std::log(test.values[i] / baseline.values[i]));
  }
  return differences;
}

bool are_enough_pairs(size_t pairs, double level) { return pairs >= fewest_ranked_pairs(level / 2); }

Finding by_signed_ranks(const Basis& baseline, const Basis& test, const SideLevels& levels, LogChange& change) {
  const SideLevels half{.change = levels.change / 2, .equivalence = levels.equivalence};
  const Finding student = finding_of(change, half);
  const std::vector<double> differences = pair_differences(baseline, test);
  const RankChange ranks = signed_rank_change(differences, half.change);
  const RankChange within = signed_rank_change(differences, half.equivalence);
  Finding finding = student;
  finding.ratio = std::exp(ranks.d);
  finding.interval = {std::exp(ranks.interval->low), std::exp(ranks.interval->high)};
  if (within.interval) {
    finding.within = hull(hull(student.within, std::exp(within.interval->low)), std::exp(within.interval->high));
  }
  // Either of two tests, at half the level.
  std::vector<double> mirrored;
  std::ranges::transform(differences, std::back_inserter(mirrored), std::negate());
  finding.p_slower = std::min(1.0, 2 * std::min(student.p_slower, signed_rank_p_above(differences, change.upper())));
  finding.p_faster = std::min(1.0, 2 * std::min(student.p_faster, signed_rank_p_above(mirrored, -change.lower())));
  finding.confidence_slower = 1 - finding.p_slower;
  finding.confidence_faster = 1 - finding.p_faster;
  const auto direction = [&](const Interval& interval) {
    return interval.low > std::exp(change.upper()) ? 1 : interval.high < std::exp(change.lower()) ? -1 : 0;
  };
  const int of_student = direction(student.interval);
  const int of_ranks = direction(finding.interval);
  if (of_student * of_ranks < 0) {  // most pairs went one way, and a few far the other
    finding.interval = hull(hull(finding.interval, student.interval.low), student.interval.high);
  } else if (of_student != 0 && of_ranks == 0) {
    finding.ratio = student.ratio;
    finding.interval = student.interval;
    return finding;
  }
  change.d = ranks.d;
  change.standard_error = (std::log(finding.interval.high) - std::log(finding.interval.low)) /
                          (2 * student_t_quantile(1 - half.change, change.degrees));
  return finding;
}

Finding by_ranks(const Basis& baseline, const Basis& test, const LogChange& change, bool paired,
                 const SideLevels& levels) {
  Finding finding = finding_of(change, levels);
  const RankChange ranks = rank_change(baseline.values, test.values, levels.change);
  const RankChange within = rank_change(baseline.values, test.values, levels.equivalence);
  if (paired || !ranks.interval || !within.interval) {
    finding.ratio = std::exp(median_log_ratio(baseline, test, paired));
    finding.interval = hull(finding.interval, finding.ratio);
    finding.within = hull(finding.within, finding.ratio);
    return finding;
  }
  const double margin = std::log1p(change.drift.of_change);
  const double around = std::log1p(change.drift.of_equivalence);
  finding.ratio = std::exp(ranks.d);
  finding.interval = {std::exp(ranks.interval->low - margin), std::exp(ranks.interval->high + margin)};
  finding.within = {std::exp(within.interval->low - around), std::exp(within.interval->high + around)};
  finding.p_slower = rank_p_above(baseline.values, test.values, std::exp(change.upper() + margin));
  finding.p_faster = rank_p_above(test.values, baseline.values, std::exp(margin - change.lower()));
  finding.confidence_slower = 1 - finding.p_slower;
  finding.confidence_faster = 1 - finding.p_faster;
  finding.confidence_equivalent = 1 - levels.equivalence;
  return finding;
}

std::optional<int64_t> processes_for_ranks(const Basis& baseline, const Basis& test, const Finding& finding,
                                           const LogChange& change, bool paired, double level) {
  const double d = std::log(finding.ratio);
  const double boundary = d > 0 ? change.upper() : -change.lower();
  const double margin = std::log1p(change.drift.of_change);
  const double around = std::log1p(change.drift.of_equivalence);
  const double beyond = std::abs(d) - boundary - margin;
  const double within = boundary - std::abs(d) - around;
  if (!(beyond > 0) && !(within > 0)) {
    return std::nullopt;
  }
  const auto share = [](const Basis& side) {
    return static_cast<double>(side.odd.size()) / static_cast<double>(side.values.size());
  };
  // Of interleaved processes Student's interval decides, which needs no ranks.
  const std::optional<int64_t> for_ranks =
      paired ? std::optional<int64_t>(0) : values_needed(share(baseline) + share(test), level);
  const auto processes = static_cast<int64_t>(change.processes);
  if (!for_ranks || *for_ranks > processes) {
    return for_ranks;
  }
  const double low = d - std::log(beyond > 0 ? finding.interval.low : finding.within.low);
  const double high = std::log(beyond > 0 ? finding.interval.high : finding.within.high) - d;
  const double half = beyond > 0 ? (d > 0 ? low : high) - margin : std::max(low, high) - around;
  const double needed = static_cast<double>(processes) * std::pow(half / (beyond > 0 ? beyond : within), 2);
  if (!(needed < kMostForecast)) {
    return std::nullopt;
  }
  return std::max(static_cast<int64_t>(std::ceil(needed)), processes + 1);
}

}  // namespace aaco
