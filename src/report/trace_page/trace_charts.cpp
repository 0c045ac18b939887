// SPDX-License-Identifier: MIT
#include "report/trace_page/trace_charts.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <string>

#include "base/format.h"
#include "base/text/characters.h"
#include "record/intervals.h"
#include "report/names/kernel_names.h"
#include "report/trace/values.h"

namespace aaco::report {

namespace {

constexpr size_t kMostBars = 15;
constexpr size_t kLongestLabel = 30;
constexpr size_t kMostLines = 8;  // with a colour of their own

std::string device_name(const EventTable& events, const DeviceSummary& device) {
  return shorten(of_rank(device.device == kNoId ? "device" : fmt::format("device {}", device.device), events,
                         device.recording, device.rank),
                 kLongestLabel);
}

// Stretches that lie behind each other in one row for each of several things.
class Budget {
 public:
  explicit Budget(plot::Chart chart) : chart_(std::move(chart)) {}

  void add_series(const std::string& name, int colour) {
    chart_.series.push_back({.name = name, .mark = plot::Mark::kBars, .colour = colour});
  }
  void add_row(const std::string& name, int64_t whole_ns) {
    chart_.y.categories.push_back(name);
    whole_ns_ = whole_ns;
    reached_ = 0;
  }
  void add(size_t series, int64_t ns) {
    if (ns <= 0 || whole_ns_ <= 0) {
      return;
    }
    plot::Series& bars = chart_.series[series];
    const double share = static_cast<double>(ns) / static_cast<double>(whole_ns_);
    bars.start.push_back(reached_);
    bars.x.push_back(reached_ += share);
    bars.y.push_back(static_cast<double>(chart_.y.categories.size() - 1));
    bars.labels.push_back(fmt::format("{}: {}, {}", bars.name, duration_text(ns), format_percent(share)));
  }
  Charts finish() {
    std::erase_if(chart_.series, [](const plot::Series& series) { return series.x.empty(); });
    return chart_.series.empty() ? Charts() : Charts{std::move(chart_)};
  }

 private:
  plot::Chart chart_;
  int64_t whole_ns_ = 0;
  double reached_ = 0;
};

plot::Axis share_axis(const char* title) {
  return {.title = title, .quantity = plot::Quantity::kPercent, .from_zero = true, .max = 1};
}

// Times by name, the longest.
Charts bars_by_name(plot::Chart chart, const std::map<std::string, int64_t>& totals, int colour) {
  std::vector<std::pair<std::string, int64_t>> sorted(totals.begin(), totals.end());
  std::erase_if(sorted, [](const auto& bar) { return bar.second <= 0; });
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  if (sorted.empty()) {
    return {};
  }
  int64_t all_ns = 0;
  for (const auto& [name, ns] : sorted) {
    all_ns = saturating_sum(all_ns, ns);
  }
  chart.x = {.title = "time", .quantity = plot::Quantity::kDuration, .unit = "ns", .from_zero = true};
  plot::Series bars{.mark = plot::Mark::kBars, .colour = colour};
  std::vector<std::string> names;
  for (const auto& [name, ns] : sorted) {
    if (bars.x.size() == kMostBars) {
      break;
    }
    bars.y.push_back(static_cast<double>(bars.x.size()));
    bars.x.push_back(static_cast<double>(ns));
    names.push_back(name);
    bars.labels.push_back(fmt::format("{}: {}", name, duration_text(ns)));
    bars.values.push_back(fmt::format("{}, {}", duration_text(ns), share_text(ns, all_ns)));
  }
  chart.y.categories = short_kernel_names(names);
  chart.series.push_back(std::move(bars));
  return {std::move(chart)};
}

// A level over time: each part's most holds until the next part.
plot::Series steps_of(const std::vector<MostInPart>& timeline, int64_t start_ns, const std::string& name,
                      size_t index) {
  plot::Series line{.name = name, .colour = index < kMostLines ? static_cast<int>(index) : plot::kMuted};
  for (size_t i = 0; i < timeline.size(); ++i) {
    const double level = static_cast<double>(timeline[i].most);
    line.x.push_back(static_cast<double>(timeline[i].start_ns - start_ns));
    line.y.push_back(level);
    if (i + 1 < timeline.size()) {
      line.x.push_back(static_cast<double>(timeline[i + 1].start_ns - start_ns));
      line.y.push_back(level);
    }
  }
  return line;
}

// Where each recording's lines begin. They share its clock: each from its own start, they would not lie as they were.
class RecordingStarts {
 public:
  void add(uint32_t recording, int64_t start_ns) {
    const auto [known, added] = starts_.try_emplace(recording, start_ns);
    known->second = std::min(known->second, start_ns);
  }
  int64_t start_ns_of(uint32_t recording) const { return starts_.at(recording); }
  std::string words() const {
    const auto differs = [&](const auto& start) { return start.second != starts_.begin()->second; };
    return std::ranges::any_of(starts_, differs) ? " Each recording begins at its own start." : "";
  }

 private:
  std::map<uint32_t, int64_t> starts_;
};

int64_t add_up(const OperatorStatistics& statistics, bool on_device) {
  return on_device ? statistics.self_ns : statistics.host_self_ns;
}

}  // namespace

Charts budget_charts(const EventTable& events, const TraceSummary& summary) {
  Budget budget({.id = "device-time",
                 .title = "Device time",
                 .caption = "Each moment of a device's window is in one of these.",
                 .x = share_axis("share of the device's window")});
  budget.add_series("computation", 0);
  budget.add_series("exposed communication", 1);
  budget.add_series("exposed copy", 2);
  budget.add_series("idle", plot::kMuted);
  for (const DeviceSummary& device : summary.devices) {
    budget.add_row(device_name(events, device), device.budget.window_ns());
    budget.add(0, device.budget.computation_ns);
    budget.add(1, device.budget.exposed_communication_ns);
    budget.add(2, device.budget.exposed_copy_ns);
    budget.add(3, device.budget.idle_ns);
  }
  return budget.finish();
}

Charts idle_charts(const EventTable&, const TraceSummary& summary) {
  std::map<std::string, int64_t> totals;
  for (const DeviceSummary& device : summary.devices) {
    for (size_t i = 0; i < kIdleCauses; ++i) {
      int64_t& total = totals[people_words(word_of(static_cast<IdleCause>(i)))];
      total = saturating_sum(total, device.idle.shares[i].total_ns);
    }
  }
  return bars_by_name({.id = "idle-causes",
                       .title = "Idle time by cause",
                       .caption = summary.devices.size() > 1 ? "All devices together." : ""},
                      totals, 3);
}

Charts queue_charts(const EventTable& events, const TraceSummary& summary) {
  plot::Chart chart{.id = "queue-depth",
                    .title = "Queue depth over time",
                    .caption = "Slices launched and not ended: the most in each part of the window.",
                    .x = {.title = "time since the first slice", .quantity = plot::Quantity::kDuration, .unit = "ns"},
                    .y = {.title = "slices", .from_zero = true, .whole_numbers = true}};
  RecordingStarts starts;
  for (const DeviceSummary& device : summary.devices) {
    if (!device.queue.timeline.empty()) {
      starts.add(device.recording, device.budget.window.start_ns);
    }
  }
  for (const DeviceSummary& device : summary.devices) {
    if (!device.queue.timeline.empty()) {
      chart.series.push_back(steps_of(device.queue.timeline, starts.start_ns_of(device.recording),
                                      summary.devices.size() > 1 ? device_name(events, device) : "",
                                      chart.series.size()));
    }
  }
  chart.caption += starts.words();
  return chart.series.empty() ? Charts() : Charts{std::move(chart)};
}

Charts kernel_charts(const EventTable& events, const TraceSummary& summary) {
  std::map<std::string, int64_t> totals;
  for (const DeviceSummary& device : summary.devices) {
    for (const KernelStatistics& kernel : device.kernels) {
      int64_t& total = totals[printable(events.strings[kernel.name])];
      total = saturating_sum(total, kernel.total_ns);
    }
  }
  return bars_by_name({.id = "kernels-by-time",
                       .title = "Kernels, copies and memory sets by time",
                       .caption = summary.devices.size() > 1 ? "All devices together." : ""},
                      totals, 0);
}

Charts operator_charts(const EventTable& events, const TraceSummary& summary) {
  const bool on_device = std::any_of(summary.operators.begin(), summary.operators.end(),
                                     [](const OperatorWork& work) { return work.device_ns > 0; });
  std::map<std::string, int64_t> totals;
  for (const OperatorWork& work : summary.operators) {
    for (const OperatorStatistics& statistics : work.by_name) {
      int64_t& total = totals[printable(events.strings[statistics.name])];
      total = saturating_sum(total, add_up(statistics, on_device));
    }
  }
  return bars_by_name(
      {.id = "operators-by-time",
       .title = on_device ? "Operators by device time of their own" : "Operators by time of their own on the host",
       .caption = summary.operators.size() > 1 ? "All ranks together." : ""},
      totals, 2);
}

Charts memory_charts(const EventTable& events, const TraceSummary& summary) {
  plot::Chart chart{.id = "memory-over-time",
                    .title = "Allocated memory over time",
                    .caption = "The most in each part of the time.",
                    .x = {.title = "time since the first mark", .quantity = plot::Quantity::kDuration, .unit = "ns"},
                    .y = {.title = "allocated", .quantity = plot::Quantity::kSi, .unit = "B", .from_zero = true}};
  RecordingStarts starts;
  for (const AllocatorUse& use : summary.memory) {
    if (!use.timeline.empty()) {
      starts.add(use.recording, use.timeline.front().start_ns);
    }
  }
  for (const AllocatorUse& use : summary.memory) {
    if (!use.timeline.empty()) {
      const std::string name = use.device_type == 0  ? "host"
                               : use.device == kNoId ? "device"
                                                     : fmt::format("device {}", use.device);
      chart.series.push_back(steps_of(use.timeline, starts.start_ns_of(use.recording),
                                      shorten(of_rank(name, events, use.recording, use.rank), kLongestLabel),
                                      chart.series.size()));
    }
  }
  chart.caption += starts.words();
  return chart.series.empty() ? Charts() : Charts{std::move(chart)};
}

Charts path_charts(const EventTable& events, const TraceSummary& summary) {
  Budget budget({.id = "critical-path",
                 .title = "Critical path by kind",
                 .caption = "What determined how long it took: each moment of the window has one kind.",
                 .x = share_axis("share of the path")});
  for (size_t kind = 0; kind < kPathKinds; ++kind) {
    budget.add_series(people_words(word_of(static_cast<PathKind>(kind))),
                      kind < kMostLines ? static_cast<int>(kind) : plot::kMuted);
  }
  for (const CriticalPath& path : summary.critical_paths) {
    const auto [recording, rank] = path.ranks.front();
    budget.add_row(path.ranks.size() == 1 ? shorten(of_rank("path", events, recording, rank), kLongestLabel)
                                          : fmt::format("path of {} ranks", path.ranks.size()),
                   path.window.end_ns - path.window.start_ns);
    for (size_t kind = 0; kind < kPathKinds; ++kind) {
      budget.add(kind, path.shares[kind]);
    }
  }
  return budget.finish();
}

}  // namespace aaco::report
