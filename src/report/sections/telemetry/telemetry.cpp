// SPDX-License-Identifier: MIT
// The host while the run went on: small plots, one below the other on one time axis, the latency on top.
#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "report/sections/latency_plots.h"
#include "report/sections/sections.h"
#include "report/sections/telemetry/gpu_telemetry.h"
#include "report/sections/telemetry/telemetry_charts.h"
#include "report/values.h"

namespace aaco::report {

namespace {

constexpr double kSmallHeight = 96;

bool any_value(const plot::Series& series) {
  return std::any_of(series.y.begin(), series.y.end(), [](double y) { return y == y; });
}

}  // namespace

plot::Chart small_chart(const TimeAxis& axis, const std::string& id, const std::string& title) {
  return {.id = "telemetry-" + id,
          .title = title,
          .x = {.title = "time since the first record",
                .quantity = plot::Quantity::kDuration,
                .unit = "ns",
                .quiet = true,
                .min = 0,
                .max = axis.end_ns},
          .height = kSmallHeight,
          .left = 64};
}

void add_chart(Section& section, const TimeAxis& axis, plot::Chart chart, std::vector<plot::Series> series,
               std::vector<std::string>& missing) {
  std::erase_if(series, [](const plot::Series& curve) { return !any_value(curve); });
  if (series.empty()) {
    missing.push_back(chart.title);
    return;
  }
  if (series.size() == 1) {
    series.front().name.clear();
  }
  chart.series = std::move(series);
  chart.annotations = axis.processes;
  for (plot::Annotation& band : chart.annotations) {
    band.named = false;
  }
  section.blocks.push_back(ChartBlock{std::move(chart)});
}

namespace {

TimeAxis time_axis_of(const Input& input) {
  TimeAxis axis;
  const std::vector<SystemRow>& rows = input.recording.collected.rows<SystemRow>();
  int64_t start = rows.front().t_ns;
  int64_t end = rows.front().t_ns;
  for (const SystemRow& row : rows) {
    start = std::min(start, row.t_ns);
    end = std::max(end, row.t_ns);
  }
  for (const GpuSampleRow& row : input.recording.collected.rows<GpuSampleRow>()) {
    start = std::min(start, row.t_ns);
    end = std::max(end, row.t_ns);
  }
  for (const IterationRow& row : input.recording.iterations) {
    start = std::min(start, row.t_start_ns);
    end = std::max(end, row.t_end_ns);
  }
  axis.origin_ns = start;
  axis.end_ns = std::max(1.0, static_cast<double>(end - start));
  for (const ProcessFacts& process : input.recording.facts.process_facts) {
    if (process.t_end_ns > process.t_start_ns) {
      axis.processes.push_back({.kind = plot::Annotation::Kind::kVerticalBand,
                                .from = axis.at(process.t_start_ns),
                                .to = axis.at(process.t_end_ns),
                                .text = fmt::format("{} {}", word_of(process.role), process.process)});
    }
  }
  if (axis.processes.size() > kMostBands) {
    axis.processes.clear();
  }
  return axis;
}

// A column of the samples; absent values are gaps.
template <class T>
plot::Series series_of(const Input& input, const TimeAxis& axis, std::optional<T> SystemRow::* member,
                       const std::string& name, int colour, double factor = 1) {
  plot::Series series{.name = name, .mark = plot::Mark::kLine, .colour = colour};
  for (const SystemRow& row : input.recording.collected.rows<SystemRow>()) {
    series.x.push_back(axis.at(row.t_ns));
    series.y.push_back(row.*member ? static_cast<double>(*(row.*member)) * factor
                                   : std::numeric_limits<double>::quiet_NaN());
  }
  return series;
}

// A delta since the previous sample as a rate per second.
plot::Series rate_of(const Input& input, const TimeAxis& axis, std::optional<int64_t> SystemRow::* member,
                     const std::string& name, int colour) {
  plot::Series series = series_of(input, axis, member, name, colour);
  for (size_t i = 0; i < series.y.size(); ++i) {
    const auto interval_ns = static_cast<double>(input.recording.collected.rows<SystemRow>()[i].interval_ns);
    series.y[i] = interval_ns > 0 ? series.y[i] * 1e9 / interval_ns : std::numeric_limits<double>::quiet_NaN();
  }
  return series;
}

plot::Chart latency_over_time(const Input& input, const TimeAxis& axis) {
  plot::Chart chart = small_chart(axis, "latency", "Latency");
  chart.y = {.title = "latency", .quantity = plot::Quantity::kDuration, .unit = "ns"};
  chart.no_data = "no iteration was recorded";
  plot::Series unprofiled{.name = "unprofiled", .mark = plot::Mark::kPoints, .colour = 0};
  plot::Series profiled{.name = "profiled", .mark = plot::Mark::kPoints, .colour = 1};
  std::vector<double> steady;
  for (const IterationRow& row : input.recording.iterations) {
    plot::Series& series = row.phase == IterationPhase::kProfile ? profiled : unprofiled;
    series.x.push_back(axis.at(row.t_start_ns));
    series.y.push_back(static_cast<double>(row.t_end_ns - row.t_start_ns));
    if (row.phase != IterationPhase::kWarmup) {
      steady.push_back(series.y.back());
    }
  }
  chart.y.max = outlier_limit(steady);
  if (profiled.x.empty()) {
    unprofiled.name.clear();
  }
  chart.series = {std::move(unprofiled), std::move(profiled)};
  return chart;
}

void add_charts(const Input& input, const TimeAxis& axis, Section& section, std::vector<std::string>& missing) {
  const auto small = [&](const char* id, const char* title, plot::Axis y) {
    plot::Chart chart = small_chart(axis, id, title);
    chart.y = std::move(y);
    return chart;
  };
  add_chart(section, axis,
            small("cpu", "Processor",
                  {.title = "machine: 100 = all busy; process: 100 = one processor", .unit = "%", .from_zero = true}),
            {series_of(input, axis, &SystemRow::cpu_pct, "machine", plot::kMuted),
             series_of(input, axis, &SystemRow::process_cpu_pct, "process", 0)},
            missing);
  add_chart(section, axis,
            small("frequency", "Processor frequency",
                  {.title = "mean frequency", .quantity = plot::Quantity::kSi, .unit = "Hz"}),
            {series_of(input, axis, &SystemRow::cpu_frequency_mhz, "", 2, 1e6)}, missing);
  std::vector<std::string> most_machines_lack;
  add_chart(section, axis, small("heat", "Processor temperature", {.title = "hottest package", .unit = "C"}),
            {series_of(input, axis, &SystemRow::package_temperature_c, "", 4)}, most_machines_lack);
  add_chart(
      section, axis,
      small("heat-limits", "Clocks lowered by heat", {.title = "times since the sample before", .from_zero = true}),
      {series_of(input, axis, &SystemRow::cpu_throttles, "", 4)}, most_machines_lack);
  add_chart(
      section, axis,
      small(
          "memory", "Memory",
          {.title = "resident memory of the process", .quantity = plot::Quantity::kSi, .unit = "B", .from_zero = true}),
      {series_of(input, axis, &SystemRow::process_rss_bytes, "", 3)}, missing);
  add_chart(section, axis, small("runnable", "Run queue", {.title = "tasks runnable or running", .from_zero = true}),
            {series_of(input, axis, &SystemRow::runnable_tasks, "", 4)}, missing);
  std::vector<plot::Series> switches{rate_of(input, axis, &SystemRow::process_voluntary_switches, "voluntary", 5),
                                     rate_of(input, axis, &SystemRow::process_involuntary_switches, "involuntary", 4)};
  for (plot::Series& series : switches) {
    series.mark = plot::Mark::kStackedArea;
  }
  add_chart(section, axis,
            small("switches", "Context switches of the process",
                  {.title = "switches per second", .quantity = plot::Quantity::kSi, .unit = "/s", .from_zero = true}),
            std::move(switches), missing);
  add_chart(section, axis,
            small("faults", "Page faults of the process",
                  {.title = "faults per second", .quantity = plot::Quantity::kSi, .unit = "/s", .from_zero = true}),
            {rate_of(input, axis, &SystemRow::process_minor_faults, "minor", 6),
             rate_of(input, axis, &SystemRow::process_major_faults, "major", 4)},
            missing);
  add_chart(section, axis,
            small("pressure", "Pressure stall",
                  {.title = "share of time in which some task waited", .unit = "%", .from_zero = true}),
            {series_of(input, axis, &SystemRow::psi_cpu_some_pct, "processor", 0),
             series_of(input, axis, &SystemRow::psi_memory_some_pct, "memory", 3),
             series_of(input, axis, &SystemRow::psi_io_some_pct, "input and output", 1)},
            missing);
}

}  // namespace

std::optional<Section> telemetry_section(const Input& input) {
  if (input.recording.collected.rows<SystemRow>().empty()) {
    return std::nullopt;
  }
  Section section{"telemetry", "Telemetry", {}, {}};
  const TimeAxis axis = time_axis_of(input);
  section.blocks.push_back(Paragraph{axis.processes.empty()
                                         ? "One time axis for all."
                                         : "One time axis for all; shaded: the steady phase of each process."});
  plot::Chart latency = latency_over_time(input, axis);
  latency.height = 150;
  latency.annotations = axis.processes;
  section.blocks.push_back(ChartBlock{std::move(latency)});
  std::vector<std::string> missing;
  add_charts(input, axis, section, missing);
  add_gpu_charts(input, axis, section);
  // The last plot carries the axis of all.
  const auto last_plot = std::find_if(section.blocks.rbegin(), section.blocks.rend(),
                                      [](const auto& block) { return std::holds_alternative<ChartBlock>(block); });
  plot::Chart& last = std::get<ChartBlock>(*last_plot).chart;
  last.x.quiet = false;
  last.height += 32;
  add_throttling(input, section);
  if (!missing.empty()) {
    std::string list;
    for (const std::string& name : missing) {
      list += (list.empty() ? "" : ", ") + name;
    }
    section.blocks.push_back(Paragraph{"No data, because this machine does not tell: " + list + "."});
  }
  return section;
}

}  // namespace aaco::report
