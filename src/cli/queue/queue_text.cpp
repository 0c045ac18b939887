// SPDX-License-Identifier: MIT
#include "cli/queue/queue_text.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/format.h"
#include "base/text/characters.h"
#include "report/queue/clocks_text.h"
#include "report/queue/queue_sections.h"
#include "report/sinks.h"
#include "report/values.h"

namespace aaco {

namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string rate_text(const Estimate& rate, const std::string& unit) {
  return report::format_with_interval(rate.value, rate.interval, unit);
}

void add_latency(const QueueFigures& figures, Rows& rows) {
  if (!figures.latency) {
    return;
  }
  const LatencySummary& latency = *figures.latency;
  const auto tail = [](const std::optional<double>& ns) { return ns ? format_duration_ns(*ns) : "too few iterations"; };
  rows.push_back({"iteration p50", format_estimate_ns(latency.p50_ns)});
  rows.push_back({"iteration mean", tail(latency.mean_ns)});
  rows.push_back({"iteration p95", tail(latency.p95_ns)});
  rows.push_back({"iteration p99", tail(latency.p99_ns)});
}

void add_rates(const QueueRunDocument& document, Rows& rows) {
  const QueueFigures& figures = document.figures;
  if (!figures.units_per_s) {
    rows.push_back({"throughput", "no data: " + figures.throughput_unavailable});
  }
  const std::string unit = document.work.unit + "/s";
  if (figures.units_per_s) {
    rows.push_back({"throughput", rate_text(*figures.units_per_s, unit)});
  }
  if (figures.units_per_s_per_stream) {
    rows.push_back({"throughput per stream used", rate_text(*figures.units_per_s_per_stream, unit)});
  }
  if (figures.operations_per_s) {
    rows.push_back({"operations", rate_text(*figures.operations_per_s, "/s")});
  }
  if (figures.flops_per_s) {
    rows.push_back({"arithmetic", rate_text(*figures.flops_per_s, "FLOP/s")});
  }
}

void add_memory(const QueueRunDocument& document, Rows& rows) {
  rows.push_back({"memory of the workload, peak", format_si(static_cast<double>(document.figures.peak_bytes), "B")});
  int64_t pinned_bytes = 0;
  int64_t library_bytes = 0;
  for (const QueueProcess& process : document.processes) {
    pinned_bytes = std::max(pinned_bytes, process.pinned_peak_bytes);
    library_bytes = std::max(library_bytes, process.library_bytes);
  }
  rows.push_back({"memory, pinned on the host", format_si(static_cast<double>(pinned_bytes), "B")});
  rows.push_back({"memory of libraries", format_si(static_cast<double>(library_bytes), "B")});
  rows.push_back({"memory, in use on the device",
                  document.figures.reserved_bytes
                      ? format_si(static_cast<double>(*document.figures.reserved_bytes), "B") + " (all processes)"
                      : "no data: this backend cannot tell"});
}

std::string check_text(const std::optional<WorkloadCheck>& check) {
  if (!check) {
    return "not made (--no-check)";
  }
  return fmt::format("{} of {} right against the CPU ({} in part), {} as the serial run's, {}", check->checked,
                     counted(check->operations, "operation", "operations"), check->in_part,
                     counted(check->outputs, "output", "outputs"), check->bitwise ? "bit by bit" : "within tolerance");
}

}  // namespace

std::string queue_run_text(const QueueRunDocument& document) {
  const QueueRequest& request = document.request;
  const QueueWork& work = document.work;
  const std::string device = document.devices.empty() ? "?" : document.devices.front().name;
  std::string text = fmt::format("{} on {} ({}), {}, dispatch {}, sync {}\n\n", request.workload,
                                 fmt::join(request.devices, ", "), printable(device),
                                 counted(request.streams, "stream", "streams"), request.dispatch, request.sync_mode);
  Rows rows{
      {"figure", fmt::format("value [95 % over {}]", counted(document.processes.size(), "process", "processes"))}};
  add_latency(document.figures, rows);
  if (document.figures.iteration_ns) {
    rows.push_back({"wall time per iteration", format_estimate_ns(*document.figures.iteration_ns)});
  }
  if (document.figures.dispatch_ns) {
    rows.push_back({"host time to enqueue it", format_estimate_ns(*document.figures.dispatch_ns)});
    if (work.kernels > 0) {
      rows.push_back({"host time per operation",
                      format_duration_ns(document.figures.dispatch_ns->value / static_cast<double>(work.kernels))});
    }
  }
  add_rates(document, rows);
  add_memory(document, rows);
  text += format_table(rows);
  text += fmt::format("\nper iteration: {}, {}, at least {} moved; {} of {} used\n",
                      counted(work.kernels, "operation", "operations"), format_si(work.flops, "FLOP"),
                      format_si(work.ideal_bytes, "B"), work.used_streams, counted(work.streams, "stream", "streams"));
  for (const DeviceClocks& clocks : document.clocks) {
    text += fmt::format("clock of {}: {}\n", clocks.device, report::clocks_text(clocks));
  }
  text += fmt::format("check: {}\n", check_text(document.verification));
  for (const std::string& note : document.notes) {
    text += fmt::format("note: {}\n", printable(note));
  }
  if (document.profile) {
    report::Report profiled{.title = fmt::format("under the {} activity collector, {}", document.profile->collector,
                                                 counted(document.profile->processes.size(), "process", "processes"))};
    profiled.sections = {report::workload_timeline_section(document.profile->timeline, document.profile->overhead)};
    text += "\n" + report::render_text(profiled);
  }
  for (const ToolOutcome& tool : document.tools) {
    text += fmt::format("{}: {} events, kept in {}\n", printable(tool.version), tool.events,
                        (std::filesystem::path(document.bundle) / tool.folder).string());
  }
  return text + fmt::format("\nbundle  {}\n", document.bundle);
}

namespace {

// A figure, or only that there is none: the run of that many streams says why.
std::string brief(const MetricValue& figure, std::string (*format)(double)) {
  return figure.value ? format(*figure.value) : quality_kind_name(figure.quality.kind);
}

// What the profiled processes of each point say.
std::string profiles_text(const std::vector<QueueRunDocument>& points) {
  Rows rows{{"streams", "kernels in flight", "launch to start p50", "same-stream gap p50", "profiled / unprofiled"}};
  const auto ratio = [](double value) { return fmt::format("{:.3f}", value); };
  const auto time = [](double value) { return format_duration_ns(value); };
  for (const QueueRunDocument& point : points) {
    if (point.profile) {
      const WorkloadTimeline& timeline = point.profile->timeline;
      rows.push_back({std::to_string(point.request.streams), brief(timeline.concurrency.mean_in_flight, ratio),
                      brief(timeline.launch_delay.p50, time), brief(timeline.same_stream_gap.p50, time),
                      brief(point.profile->overhead.ratio, ratio)});
    }
  }
  return rows.size() > 1 ? "\nunder the activity collector:\n" + format_table(rows) : "";
}

// What is noted of every point.
std::vector<std::string> common_notes(const std::vector<QueueRunDocument>& points) {
  std::vector<std::string> notes = points.front().notes;
  std::erase_if(notes, [&](const std::string& note) {
    return std::ranges::any_of(points, [&](const QueueRunDocument& point) {
      return std::ranges::find(point.notes, note) == point.notes.end();
    });
  });
  return notes;
}

}  // namespace

std::string queue_sweep_text(const QueueSweepDocument& document) {
  Rows rows{{"streams", "used", "throughput", "per stream", "efficiency", "gain per doubling"}};
  const std::string unit = document.points.front().work.unit + "/s";
  for (const StreamScalingRow& row : document.scaling.rows) {
    rows.push_back({std::to_string(row.streams), std::to_string(row.used), rate_text(row.throughput, unit),
                    format_si(row.per_stream.value, unit), fmt::format("{:.3f}", row.efficiency),
                    row.gain_per_doubling ? format_percent(*row.gain_per_doubling) : ""});
  }
  std::string text =
      fmt::format("{}\n\n{}\nsaturation: {}\n", document.workload, format_table(rows), document.scaling.saturation);
  if (!document.scaling.rows.empty()) {
    text += fmt::format("per stream: over the streams given; efficiency: that over the same of {} streams\n",
                        document.scaling.rows.front().streams);
  }
  for (const QueueRunDocument& point : document.points) {
    if (!point.figures.units_per_s) {
      text += fmt::format("no throughput with {}: {}\n", counted(point.request.streams, "stream", "streams"),
                          point.figures.throughput_unavailable);
    }
  }
  text += profiles_text(document.points);
  for (const std::string& note : common_notes(document.points)) {
    text += fmt::format("note: {}\n", printable(note));
  }
  if (document.stopped_by) {
    text += fmt::format("stopped early: {}\n", printable(*document.stopped_by));
  }
  return text + fmt::format("\nbundle  {}\n", document.bundle);
}

}  // namespace aaco
