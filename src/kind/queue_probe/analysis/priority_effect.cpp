// SPDX-License-Identifier: MIT
#include "kind/queue_probe/analysis/priority_effect.h"

#include <algorithm>
#include <fmt/format.h>

#include "kind/queue_run/analysis/signed_figure.h"

namespace aaco {

namespace {

struct Side {
  std::vector<double> delays, passed;
};

std::string add_repeat(const PriorityRepeat& repeat, Side& side) {
  if (repeat.gate_timed_out) {
    return "the gate opened by itself before all was enqueued";
  }
  std::vector<KernelStamp> kernels{repeat.marker, repeat.kernel};
  kernels.insert(kernels.end(), repeat.background.begin(), repeat.background.end());
  if (std::string problem = stamp_problem(kernels); !problem.empty()) {
    return problem;
  }
  if (repeat.kernel.start_ns < repeat.marker.end_ns) {
    return "the kernel began before the marker that it waits for had ended";
  }
  // All was enqueued before the gate opened: what ended after the marker was running then, or waiting.
  if (std::none_of(repeat.background.begin(), repeat.background.end(),
                   [&](const KernelStamp& other) { return other.end_ns > repeat.marker.end_ns; })) {
    return "the device was not loaded when the kernel became ready";
  }
  side.delays.push_back(static_cast<double>(repeat.kernel.start_ns - repeat.marker.end_ns));
  side.passed.push_back(static_cast<double>(
      std::count_if(repeat.background.begin(), repeat.background.end(), [&](const KernelStamp& other) {
        return other.start_ns >= repeat.marker.end_ns && other.start_ns < repeat.kernel.start_ns;
      })));
  return "";
}

std::string sides_of(const PriorityRun& run, Side& low, Side& high) {
  if (run.lowest == run.highest) {
    return "the device has no priorities";
  }
  for (size_t i = 0; i < run.repeats.size(); ++i) {
    const PriorityRepeat& repeat = run.repeats[i];
    if (const std::string problem = add_repeat(repeat, repeat.high ? high : low); !problem.empty()) {
      return fmt::format("repeat {}: {}", i + 1, problem);
    }
  }
  if (low.delays.size() != high.delays.size() || low.delays.empty()) {
    return fmt::format("{} repeats at low priority against {} at high are no pairs", low.delays.size(),
                       high.delays.size());
  }
  return "";
}

PriorityEffect without_value(PriorityEffect result, MetricValue (*make)(std::string, const std::string&),
                             const std::string& reason) {
  result.low_delay = make("priority_low_delay", reason);
  result.high_delay = make("priority_high_delay", reason);
  result.effect = make("priority_effect", reason);
  result.low_passed = make("priority_low_passed", reason);
  result.high_passed = make("priority_high_passed", reason);
  return result;
}

}  // namespace

PriorityEffect priority_effect(std::span<const PriorityRun> processes) {
  PriorityEffect result;
  std::vector<double> low_delays;
  std::vector<double> high_delays;
  std::vector<double> effects;
  std::vector<double> low_passed;
  std::vector<double> high_passed;
  for (size_t i = 0; i < processes.size(); ++i) {
    const PriorityRun& run = processes[i];
    result.lowest = run.lowest;
    result.highest = run.highest;
    Side low;
    Side high;
    if (const std::string problem = sides_of(run, low, high); !problem.empty()) {
      return without_value(result, run.lowest == run.highest ? no_data : invalid,
                           run.lowest == run.highest ? problem : fmt::format("process {}, {}", i + 1, problem));
    }
    low_delays.push_back(*median(low.delays));
    high_delays.push_back(*median(high.delays));
    effects.push_back(*paired_median_difference(high.delays, low.delays));
    low_passed.push_back(*median(low.passed));
    high_passed.push_back(*median(high.passed));
  }
  result.low_delay = figure_over_processes("priority_low_delay", low_delays);
  result.high_delay = figure_over_processes("priority_high_delay", high_delays);
  result.effect = figure_over_processes("priority_effect", effects);
  result.low_passed = figure_over_processes("priority_low_passed", low_passed);
  result.high_passed = figure_over_processes("priority_high_passed", high_passed);
  return result;
}

}  // namespace aaco
