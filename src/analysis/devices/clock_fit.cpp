// SPDX-License-Identifier: MIT
#include "analysis/devices/clock_fit.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace aaco {

namespace {

constexpr double kPartsPerMillion = 1e6;

double middle_of(const ClockPairRow& pair) { return static_cast<double>(pair.width_ns) / 2; }

// A read that took no measurable time still has the clock's resolution.
double weight_of(const ClockPairRow& pair) {
  const auto width = static_cast<double>(std::max<int64_t>(pair.width_ns, 1));
  return 1 / (width * width);
}

}  // namespace

double ClockFit::to_session_ns(int64_t source_ns) const {
  return reference_ns +
         (1 + drift_ppm.value_or(0) / kPartsPerMillion) * static_cast<double>(source_ns - first_source_ns);
}

std::optional<ClockFit> fit_clock(std::span<const ClockPairRow> pairs) {
  if (pairs.empty()) {
    return std::nullopt;
  }
  const auto [first, last] = std::ranges::minmax_element(pairs, {}, &ClockPairRow::t_ns);
  ClockFit fit;
  fit.clock = first->clock;
  fit.pairs = static_cast<int64_t>(pairs.size());
  fit.span_ns = last->t_ns - first->t_ns;
  fit.first_source_ns = first->source_ns;
  // What the session clock gained on the other since the first pair: small numbers, so that nothing is rounded away.
  const auto elapsed = [&](const ClockPairRow& pair) { return static_cast<double>(pair.source_ns - first->source_ns); };
  const auto gained = [&](const ClockPairRow& pair) {
    return static_cast<double>((pair.t_ns - first->t_ns) - (pair.source_ns - first->source_ns)) + middle_of(pair);
  };
  double weights = 0, x = 0, y = 0;
  for (const ClockPairRow& pair : pairs) {
    weights += weight_of(pair);
    x += weight_of(pair) * elapsed(pair);
    y += weight_of(pair) * gained(pair);
  }
  x /= weights;
  y /= weights;
  double xx = 0, xy = 0;
  for (const ClockPairRow& pair : pairs) {
    xx += weight_of(pair) * (elapsed(pair) - x) * (elapsed(pair) - x);
    xy += weight_of(pair) * (elapsed(pair) - x) * (gained(pair) - y);
  }
  const double rate = xx > 0 ? xy / xx : 0;
  if (xx > 0) {
    fit.drift_ppm = rate * kPartsPerMillion;
  }
  const double start = y - rate * x;
  fit.reference_ns = static_cast<double>(first->t_ns) + start;
  for (const ClockPairRow& pair : pairs) {
    const double off = std::abs(start + rate * elapsed(pair) - gained(pair));
    fit.bound_ns = std::max(fit.bound_ns, off + middle_of(pair));
    fit.missed_pairs += off > middle_of(pair) ? 1 : 0;
  }
  return fit;
}

std::vector<ClockFit> fit_clocks(std::span<const ClockPairRow> pairs) {
  std::map<std::string, std::vector<ClockPairRow>> by_clock;
  for (const ClockPairRow& pair : pairs) {
    by_clock[pair.clock].push_back(pair);
  }
  std::vector<ClockFit> fits;
  for (const auto& [clock, of_clock] : by_clock) {
    fits.push_back(*fit_clock(of_clock));
  }
  return fits;
}

}  // namespace aaco
