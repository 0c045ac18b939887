// SPDX-License-Identifier: MIT
#include "guard/command/command_sample.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <iterator>

#include "base/format.h"
#include "base/json/json.h"
#include "base/statistics.h"

namespace aaco {

AACO_JSON_FIELDS(TimedCommand, title, arguments, program_sha256, processes, others_share)

namespace {

// Of the processor time that a quota let it have. A choice, as kThrottledShare is.
constexpr double kQuotaShare = 0.05;

double median_of(const TimedCommand& command, const std::function<double(const ProcessTimes&)>& figure) {
  std::vector<double> values;
  std::ranges::transform(command.processes, std::back_inserter(values), figure);
  return median(values).value_or(0);
}

void add_throttling(const TimedCommand& command, RunSample& sample) {
  int64_t held = 0;
  int64_t stopped = 0;
  for (const ProcessTimes& process : command.processes) {
    held += process.heat_events > 0 ? 1 : 0;
    const auto used = static_cast<double>(process.user_ns + process.system_ns);
    stopped += static_cast<double>(process.quota_stopped_ns) > kQuotaShare * used ? 1 : 0;
  }
  const auto processes = static_cast<double>(command.processes.size());
  if (processes == 0) {
    return;
  }
  sample.throttled_share = static_cast<double>(std::max(held, stopped)) / processes;
  if (stopped > 0) {
    sample.throttled_words = fmt::format("a CPU quota stopped {} of {} processes", stopped, command.processes.size());
  } else if (held > 0) {
    sample.throttled_words =
        fmt::format("heat lowered a processor's clock in {} of {} processes", held, command.processes.size());
  }
}

// Cycles per nanosecond; none where a process has no cycles or no processor time.
std::optional<double> median_clock(const TimedCommand& command) {
  std::vector<double> clocks;
  for (const ProcessTimes& process : command.processes) {
    if (!process.cycles || process.user_ns <= 0) {
      return std::nullopt;
    }
    clocks.push_back(*process.cycles / static_cast<double>(process.user_ns));
  }
  return median(clocks);
}

void scale_to(double clock, const TimedCommand& command, NamedSample& times) {
  for (size_t i = 0; i < command.processes.size(); ++i) {
    const ProcessTimes& process = command.processes[i];
    const double in_program = static_cast<double>(std::min(process.user_ns, process.wall_ns));
    const double own_clock = *process.cycles / static_cast<double>(process.user_ns);
    times.sample.process_medians_ns[i] += in_program * (own_clock / clock - 1);
  }
}

std::string change_of(double before_ns, double after_ns) {
  const double change = after_ns - before_ns;
  return fmt::format("{}{}", change < 0 ? "-" : "+", format_duration_ns(std::abs(change)));
}

std::optional<double> others_share_of(const TimedCommand& command) {
  if (command.others_share) {
    return command.others_share;
  }
  std::optional<double> most;
  for (const ProcessTimes& process : command.processes) {
    if (process.others_share) {
      most = std::max(most.value_or(0), *process.others_share);
    }
  }
  return most;
}

}  // namespace

NamedSample command_sample(const TimedCommand& command, const Json& environment, const std::string& created_utc,
                           const std::string& group) {
  std::vector<double> walls;
  for (const ProcessTimes& process : command.processes) {
    walls.push_back(static_cast<double>(process.wall_ns));
  }
  NamedSample named = measured_sample("", created_utc, std::move(walls));
  RunSample& sample = named.sample;
  sample.configuration.model_name = command.title;
  sample.configuration.backend = "cpu";
  // Another argument is other work, unless the user says by --subject that it is the same.
  if (command.title == std::filesystem::path(command.arguments.front()).filename()) {
    auto& arguments = sample.configuration.work["argument"];
    for (size_t i = 1; i < command.arguments.size(); ++i) {
      arguments[std::to_string(i)].value = command.arguments[i];
    }
  }
  sample.interleave_group = group;
  sample.others_share = others_share_of(command);
  sample.device_kind = DeviceKind::kCpu;
  sample.environment = environment;
  add_throttling(command, sample);
  return named;
}

std::optional<SidesAtOneClock> at_one_clock(const TimedCommand& baseline, const TimedCommand& test,
                                            const NamedSample& baseline_times, const NamedSample& test_times) {
  const auto baseline_clock = median_clock(baseline);
  const auto test_clock = median_clock(test);
  if (!baseline_clock || !test_clock) {
    return std::nullopt;
  }
  SidesAtOneClock sides{baseline_times, test_times, *test_clock / *baseline_clock};
  scale_to(*baseline_clock, baseline, sides.baseline);
  scale_to(*baseline_clock, test, sides.test);
  return sides;
}

std::string command_cause(const TimedCommand& baseline, const TimedCommand& test) {
  if (baseline.processes.empty() || test.processes.empty()) {
    return "";
  }
  struct Part {
    const char* words;
    double before;
    double after;
  };
  const auto part = [&](const char* words, const std::function<double(const ProcessTimes&)>& figure) {
    return Part{words, median_of(baseline, figure), median_of(test, figure)};
  };
  const auto ns = [](int64_t value) { return static_cast<double>(value); };
  const std::vector<Part> parts{
      part("processor time in the program", [&](const ProcessTimes& p) { return ns(p.user_ns); }),
      part("processor time in the kernel", [&](const ProcessTimes& p) { return ns(p.system_ns); }),
      part("time without a processor",
           [&](const ProcessTimes& p) { return std::max(0.0, ns(p.wall_ns - p.user_ns - p.system_ns)); })};
  const double wall_change = median_of(test, [&](const ProcessTimes& p) { return ns(p.wall_ns); }) -
                             median_of(baseline, [&](const ProcessTimes& p) { return ns(p.wall_ns); });
  const Part& largest = *std::ranges::max_element(parts, {}, [&](const Part& candidate) {
    return (candidate.after - candidate.before) * (wall_change < 0 ? -1 : 1);
  });
  std::string text = fmt::format("{} changed most: {} of {} a process", largest.words,
                                 change_of(largest.before, largest.after), change_of(0, wall_change));
  const double faults_before = median_of(baseline, [&](const ProcessTimes& p) { return ns(p.minor_faults); });
  const double faults_after = median_of(test, [&](const ProcessTimes& p) { return ns(p.minor_faults); });
  if (std::abs(faults_after - faults_before) > 0.1 * std::max(faults_before, 1.0)) {
    text += fmt::format("; page faults {:.0f}, before {:.0f}", faults_after, faults_before);
  }
  return text;
}

}  // namespace aaco
