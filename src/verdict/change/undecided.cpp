// SPDX-License-Identifier: MIT
#include "verdict/change/undecided.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/format.h"

namespace aaco {

namespace {

// "12 % faster", "5.6x slower", of a ratio of times.
std::string speed_text(double ratio) {
  const char* const way = ratio < 1 ? "faster" : "slower";
  const double times = std::max(ratio, 1 / ratio);
  return times < 2 ? fmt::format("{:.3g} % {}", 100 * std::abs(ratio - 1), way) : fmt::format("{:.3g}x {}", times, way);
}

// Whether the interval decides nothing even where the processes of a side do not differ at all.
bool is_held_open(const UndecidedChange& change) {
  const double margin = std::log1p(change.drift);
  const double low = std::log(change.ratio) - margin;
  const double high = std::log(change.ratio) + margin;
  const double upper = std::log1p(change.min_effect);
  const double lower = std::log1p(-change.min_effect);
  return low <= upper && high >= lower && (low < lower || high > upper);
}

}  // namespace

std::string undecided_reason(const UndecidedChange& change, const std::string& interval_text) {
  const std::string noise =
      fmt::format("too noisy to tell: anywhere from {} to {} ({})", speed_text(change.interval.low),
                  speed_text(change.interval.high), interval_text);
  if (change.processes_needed && is_held_open(change)) {
    return fmt::format(
        "{}; the drift margin ({}) holds that interval open, however many processes there are: measure both sides in "
        "turns; about {} processes a side could show equivalence, and nothing else",
        noise, format_percent(change.drift, 1), *change.processes_needed);
  }
  if (change.processes_needed) {
    return fmt::format("{}; about {} processes a side would settle it", noise, *change.processes_needed);
  }
  if (change.drift > 0) {
    return fmt::format(
        "{}; more processes will not help: the change lies within the drift margin of the minimum effect ({}); measure "
        "both sides in turns, or on a quieter machine",
        noise, format_percent(change.drift, 1));
  }
  return noise + "; more processes will not help: the change lies within the spread of the minimum effect";
}

}  // namespace aaco
