// SPDX-License-Identifier: MIT
#include "verdict/change/two_modes.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/format.h"
#include "base/statistics.h"

namespace aaco {

namespace {

constexpr double kLeastShare = 0.05;    // of a mode
constexpr double kLeastIterations = 5;  // of a process in a mode: one slow iteration of ten is no mode
const double kLeastDistance = std::log(1.02);
constexpr double kLeastSeparation = 4;  // distance over the sum of both modes' sigmas: two halves of a normal have 1.7
constexpr double kMostBetween = 0.05;   // of the points, in the middle 40 % of the distance: a uniform has 20 %

// From the 1st to the 99th percentile.
std::span<const double> inner(const ProcessSample& process) {
  return std::span(process.quantiles_ns).subspan(2, kSampleQuantiles - 4);
}

std::vector<double> inner_logs(const ProcessSample& process) {
  std::vector<double> logs;
  for (const double value : inner(process)) {
    logs.push_back(std::log(value));
  }
  return logs;
}

// Where splitting sorted values leaves least variance within both parts: the index of the second's first (Otsu). Ends
// that hold too few for a mode are not split off: stalls are no mode.
size_t best_split(std::span<const double> sorted, size_t least) {
  double total = 0;
  for (const double value : sorted) {
    total += value;
  }
  double below = 0;
  double best = -1;
  size_t split = 0;
  const auto n = static_cast<double>(sorted.size());
  for (size_t i = 1; i < sorted.size(); ++i) {
    below += sorted[i - 1];
    const auto count = static_cast<double>(i);
    const double distance = (total - below) / (n - count) - below / count;
    const double between = count * (n - count) * distance * distance;
    if (i >= least && i + least <= sorted.size() && between > best) {
      best = between;
      split = i;
    }
  }
  return split;
}

// Of the iterations, by the quantiles above `between_ns`; the first and the last stand for half a step each.
double slow_share(const ProcessSample& process, double between_ns) {
  const auto above = std::ranges::upper_bound(process.quantiles_ns, between_ns);
  const auto slow = static_cast<double>(process.quantiles_ns.end() - above);
  const double steps = static_cast<double>(kSampleQuantiles) - 1;
  return std::clamp((slow - 0.5) / steps, 0.0, 1.0);
}

struct LogModes {
  double fast = 0;
  double slow = 0;
};

std::optional<LogModes> modes_of(std::span<const double> sorted) {
  const auto n = static_cast<double>(sorted.size());
  const size_t split = best_split(sorted, std::max<size_t>(1, static_cast<size_t>(std::ceil(kLeastShare * n))));
  if (split == 0) {
    return std::nullopt;
  }
  const auto fast = sorted.first(split);
  const auto slow = sorted.subspan(split);
  const LogModes modes{*median(fast), *median(slow)};
  const double distance = modes.slow - modes.fast;
  if (distance < kLeastDistance || distance < kLeastSeparation * (*robust_sigma(fast) + *robust_sigma(slow))) {
    return std::nullopt;
  }
  const auto between = std::ranges::count_if(
      sorted, [&](double value) { return value > modes.fast + 0.3 * distance && value < modes.slow - 0.3 * distance; });
  return static_cast<double>(between) <= kMostBetween * n ? std::optional(modes) : std::nullopt;
}

}  // namespace

std::optional<TwoModes> two_modes(std::span<const ProcessSample> processes) {
  std::vector<double> all;
  for (const ProcessSample& process : processes) {
    const std::vector<double> logs = inner_logs(process);
    all.insert(all.end(), logs.begin(), logs.end());
  }
  std::ranges::sort(all);
  const auto halves = modes_of(all);
  if (!halves) {
    return std::nullopt;
  }
  TwoModes modes{std::exp(halves->fast), std::exp(halves->slow), 0, {}};
  double iterations = 0;
  size_t with_fast = 0;
  size_t with_slow = 0;
  for (size_t i = 0; i < processes.size(); ++i) {
    const double share = slow_share(processes[i], std::exp((halves->fast + halves->slow) / 2));
    modes.process_shares.push_back(share);
    modes.slow_share += share * static_cast<double>(processes[i].iterations);
    iterations += static_cast<double>(processes[i].iterations);
    const auto counts = [&](double part) {
      return part >= kLeastShare && part * static_cast<double>(processes[i].iterations) >= kLeastIterations;
    };
    with_fast += counts(1 - share) ? 1 : 0;
    with_slow += counts(share) ? 1 : 0;
  }
  modes.slow_share /= iterations;
  const bool both = modes.slow_share >= kLeastShare && modes.slow_share <= 1 - kLeastShare;
  return both && std::min(with_fast, with_slow) >= 2 ? std::optional(modes) : std::nullopt;
}

std::string modes_text(const TwoModes& modes) {
  return fmt::format("{} and {} ({} of the iterations)", format_duration_ns(modes.fast_ns),
                     format_duration_ns(modes.slow_ns), format_percent(modes.slow_share, 0));
}

double trimmed_mean_ns(const ProcessSample& process) { return *mean(inner(process)); }

double trimmed_mean_error(const ProcessSample& process) {
  const double sigma = standard_deviation(inner(process)).value_or(0);
  return process.iterations > 0 ? sigma / std::sqrt(static_cast<double>(process.iterations)) / trimmed_mean_ns(process)
                                : 0;
}

}  // namespace aaco
