// SPDX-License-Identifier: MIT
#include "analysis/devices/throttling.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/format.h"
#include "base/statistics.h"

namespace aaco {

namespace {

constexpr double kBusyPct = 50;
constexpr const char* kHeat = "heat";

bool is_measured(const IterationRow& row) {
  return row.phase != IterationPhase::kUnknown && row.phase != IterationPhase::kWarmup &&
         row.phase != IterationPhase::kProfile;
}

struct Window {
  int64_t start_ns;
  int64_t end_ns;
};

// Of each process, from its first measured iteration to the end of its last.
std::vector<Window> measured_windows(std::span<const IterationRow> iterations) {
  std::map<int64_t, Window> by_process;
  for (const IterationRow& row : iterations) {
    if (is_measured(row)) {
      Window& window = by_process.try_emplace(row.process, Window{row.t_start_ns, row.t_end_ns}).first->second;
      window.start_ns = std::min(window.start_ns, row.t_start_ns);
      window.end_ns = std::max(window.end_ns, row.t_end_ns);
    }
  }
  std::vector<Window> windows;
  for (const auto& [process, window] : by_process) {
    windows.push_back(window);
  }
  return windows;
}

bool within(int64_t t_ns, std::span<const Window> windows) {
  return std::ranges::any_of(windows,
                             [&](const Window& window) { return t_ns >= window.start_ns && t_ns <= window.end_ns; });
}

// Whether clocks were held down, at a moment or since the mark before; none: not known.
struct Mark {
  int64_t t_ns;
  std::optional<bool> held;
};

// What all marks from the last at or before the iteration (where marks tell moments) to the first at or after its end
// agree on.
std::optional<bool> state_of(const IterationRow& row, const std::vector<Mark>& marks, bool of_spans) {
  const auto before = [](const Mark& mark, int64_t t_ns) { return mark.t_ns < t_ns; };
  const auto last = std::lower_bound(marks.begin(), marks.end(), row.t_end_ns, before);
  auto first = std::upper_bound(marks.begin(), marks.end(), row.t_start_ns,
                                [](int64_t t_ns, const Mark& mark) { return t_ns < mark.t_ns; });
  if (first == marks.begin() || last == marks.end()) {
    return std::nullopt;  // the iteration reaches beyond the samples
  }
  if (!of_spans) {
    --first;
  }
  const std::optional<bool> held = first->held;
  return held && std::all_of(first, last + 1, [&](const Mark& mark) { return mark.held == held; }) ? held
                                                                                                   : std::nullopt;
}

void tie_iterations(Throttling& result, const std::vector<Mark>& marks, bool of_spans,
                    std::span<const IterationRow> iterations) {
  std::vector<double> held, free;
  for (const IterationRow& row : iterations) {
    if (!is_measured(row)) {
      continue;
    }
    if (const auto state = state_of(row, marks, of_spans)) {
      (*state ? held : free).push_back(static_cast<double>(row.t_end_ns - row.t_start_ns));
    }
  }
  result.held_iterations = static_cast<int64_t>(held.size());
  result.free_iterations = static_cast<int64_t>(free.size());
  result.held_p50_ns = median(held);
  result.free_p50_ns = median(free);
}

// Counts of the samples that tell something.
struct Count {
  int64_t told = 0;
  int64_t yes = 0;

  void add(bool is) {
    ++told;
    yes += is ? 1 : 0;
  }
  std::optional<double> share() const {
    return told == 0 ? std::nullopt : std::optional(static_cast<double>(yes) / static_cast<double>(told));
  }
};

// None of fewer than two clocks, of which none can have fallen.
std::optional<int64_t> drops_of(const std::vector<double>& clocks) {
  if (clocks.size() < 2) {
    return std::nullopt;
  }
  int64_t drops = 0;
  for (size_t i = 1; i < clocks.size(); ++i) {
    drops += clocks[i] <= kDropShare * clocks[i - 1] ? 1 : 0;
  }
  return drops;
}

std::optional<double> variation(const std::vector<double>& values) {
  if (values.size() < 2) {
    return std::nullopt;
  }
  double sum = 0, squares = 0;
  for (const double value : values) {
    sum += value;
  }
  const double mean = sum / static_cast<double>(values.size());
  for (const double value : values) {
    squares += (value - mean) * (value - mean);
  }
  return mean > 0 ? std::optional(std::sqrt(squares / static_cast<double>(values.size() - 1)) / mean) : std::nullopt;
}

Throttling of_device(const std::string& device, const std::vector<const GpuSampleRow*>& rows,
                     std::span<const Window> windows, std::span<const IterationRow> iterations) {
  Throttling result;
  result.device = device;
  Count held, below, at_cap;
  std::map<std::string, int64_t> reasons;
  std::vector<double> clocks;
  std::vector<Mark> marks;
  for (const GpuSampleRow* row : rows) {
    marks.push_back({row->t_ns, row->throttled ? std::optional(*row->throttled != 0) : std::nullopt});
    if (!within(row->t_ns, windows) || row->busy_pct.value_or(100) < kBusyPct) {
      continue;
    }
    ++result.samples;
    if (row->throttled) {
      held.add(*row->throttled != 0);
      for (const std::string& reason : *row->throttled != 0 ? throttle_reasons(*row) : std::vector<std::string>()) {
        ++reasons[reason];
      }
    }
    const std::optional<double> target =
        row->core_clock_target_mhz ? row->core_clock_target_mhz : row->core_clock_max_mhz;
    if (row->core_clock_mhz) {
      if (target) {
        below.add(*row->core_clock_mhz < kTargetShare * *target);
        result.target_is_highest = !row->core_clock_target_mhz;
      }
      clocks.push_back(*row->core_clock_mhz);
    }
    if (row->power_w && row->power_cap_w && *row->power_cap_w > 0) {
      at_cap.add(*row->power_w >= kCapShare * *row->power_cap_w);
    }
  }
  result.held_share = held.share();
  for (const auto& [reason, count] : reasons) {
    result.reason_shares[reason] = static_cast<double>(count) / static_cast<double>(held.told);
  }
  result.below_target_share = below.share();
  result.at_cap_share = at_cap.share();
  result.drops = drops_of(clocks);
  result.clock_variation = variation(clocks);
  if (result.samples == 0) {
    result.no_data =
        fmt::format("none of {} samples was taken while the run measured and the device was busy", rows.size());
  }
  tie_iterations(result, marks, false, iterations);
  return result;
}

std::optional<Throttling> of_processors(std::span<const SystemRow> host, std::span<const Window> windows,
                                        std::span<const IterationRow> iterations) {
  Throttling result;
  result.device = kProcessorsHeld;
  Count held;
  std::vector<Mark> marks;
  for (const SystemRow& row : host) {
    marks.push_back({row.t_ns, row.cpu_throttles ? std::optional(*row.cpu_throttles > 0) : std::nullopt});
    if (row.cpu_throttles && within(row.t_ns, windows)) {
      ++result.samples;
      held.add(*row.cpu_throttles > 0);
    }
  }
  if (held.told == 0) {
    return std::nullopt;
  }
  result.held_share = held.share();
  if (held.yes > 0) {
    result.reason_shares[kHeat] = *result.held_share;
  }
  tie_iterations(result, marks, true, iterations);
  return result;
}

}  // namespace

std::optional<double> Throttling::share() const {
  if (held_share) {
    return held_share;
  }
  return below_target_share && at_cap_share ? std::optional(std::min(*below_target_share, *at_cap_share))
                                            : std::nullopt;
}

std::vector<Throttling> throttling(std::span<const GpuSampleRow> gpus, std::span<const SystemRow> host,
                                   std::span<const IterationRow> iterations) {
  const std::vector<Window> windows = measured_windows(iterations);
  std::map<std::string, std::vector<const GpuSampleRow*>> by_device;
  for (const GpuSampleRow& row : gpus) {
    by_device[row.device].push_back(&row);
  }
  std::vector<Throttling> all;
  for (auto& [device, rows] : by_device) {
    std::ranges::stable_sort(rows, {}, &GpuSampleRow::t_ns);
    all.push_back(of_device(device, rows, windows, iterations));
  }
  if (auto processors = of_processors(host, windows, iterations)) {
    all.push_back(std::move(*processors));
  }
  return all;
}

std::string throttling_words(const Throttling& throttling) {
  const bool host = throttling.device == kProcessorsHeld;
  const std::string whose =
      host ? "clocks of the processors were" : fmt::format("the clock of {} was", throttling.device);
  if (!throttling.held_share) {
    return fmt::format("{} below its target, and power at the cap, in {} of the samples", whose,
                       format_percent(throttling.share().value_or(0), 0));
  }
  std::string reasons;
  for (const auto& [reason, share] : throttling.reason_shares) {
    reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", reason, format_percent(share, 0));
  }
  return fmt::format("{} held down in {} of the samples{}", whose, format_percent(*throttling.held_share, 0),
                     reasons.empty() ? "" : " (" + reasons + ")");
}

}  // namespace aaco
