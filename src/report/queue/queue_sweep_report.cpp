// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

#include "analysis/documents/queue_sweep_document.h"
#include "base/format.h"
#include "report/queue/queue_document.h"
#include "report/queue/queue_plots.h"
#include "report/queue/queue_report.h"
#include "report/queue/queue_sections.h"
#include "report/sections/document_report.h"
#include "report/sections/sections.h"
#include "report/values.h"
#include "session/layout.h"

namespace aaco::report {

namespace {

constexpr const char* kMedian = "median";
constexpr const char* kP95 = "p95";
constexpr const char* kP99 = "p99";

// A figure of the latency of a point, where it has one.
std::optional<CountedPoint> latency_point(const QueueRunDocument& point, std::string_view figure) {
  const std::optional<LatencySummary>& latency = point.figures.latency;
  if (!latency) {
    return std::nullopt;
  }
  const auto streams = static_cast<double>(point.work.streams);
  if (figure == kMedian) {
    return CountedPoint{streams, latency->p50_ns.value, latency->p50_ns.interval};
  }
  const std::optional<double>& value = figure == kP95 ? latency->p95_ns : latency->p99_ns;
  return value ? std::optional(CountedPoint{streams, *value,
                                            figure == kP95 ? latency->p95_interval_ns : latency->p99_interval_ns})
               : std::nullopt;
}

std::vector<LatencyLine> latency_lines(const std::vector<QueueRunDocument>& points) {
  std::vector<LatencyLine> lines;
  for (const char* name : {kMedian, kP95, kP99}) {
    LatencyLine line{name, {}};
    for (const QueueRunDocument& point : points) {
      if (const auto found = latency_point(point, name)) {
        line.points.push_back(*found);
      }
    }
    if (!line.points.empty()) {
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

Cell latency_cell(const std::optional<CountedPoint>& point) {
  return point ? interval_cell(point->value, point->interval, "ns") : missing_cell("no data");
}

TableBlock point_table(const std::vector<QueueRunDocument>& points) {
  TableBlock table{.id = "queue-points",
                   .columns = {{"streams", true},
                               {"used", true},
                               {"median iteration", true},
                               {"p95", true},
                               {"p99", true},
                               {"kernels", true},
                               {"memory, peak", true},
                               {"check"},
                               {"session"}},
                   .sortable = true,
                   .note = "Each stream count is a session of its own, with its report."};
  for (const QueueRunDocument& point : points) {
    table.rows.push_back({count_cell(point.work.streams), count_cell(point.work.used_streams),
                          latency_cell(latency_point(point, kMedian)), latency_cell(latency_point(point, kP95)),
                          latency_cell(latency_point(point, kP99)), count_cell(point.work.kernels),
                          number_cell(static_cast<double>(point.figures.peak_bytes), "B"),
                          point.verification ? text_cell("right") : text_cell("not made", Tone::kWarning),
                          text_cell(std::filesystem::path(point.bundle).filename().string())});
  }
  return table;
}

Section summary_of(const OpenSession& session, const StreamScaling& scaling, const std::string& unit,
                   const QueueSweepDocument& sweep) {
  Section section{"summary", "Summary"};
  if (!scaling.rows.empty()) {
    const auto best = std::max_element(
        scaling.rows.begin(), scaling.rows.end(),
        [](const StreamScalingRow& a, const StreamScalingRow& b) { return a.throughput.value < b.throughput.value; });
    const StreamScalingRow& last = scaling.rows.back();
    section.blocks.emplace_back(KeyFigures{
        {{"highest throughput", format_si(best->throughput.value, unit),
          "with " + counted(best->streams, "stream", "streams")},
         {"saturated from",
          scaling.saturation_streams ? counted(*scaling.saturation_streams, "stream", "streams") : "not found",
          scaling.saturation},
         {"scaling efficiency", format_percent(last.efficiency),
          fmt::format("of {} against {}", counted(last.streams, "stream", "streams"), scaling.rows.front().streams)}}});
  } else {
    section.blocks.emplace_back(Paragraph{"No data: no throughput was measured.", Tone::kWarning});
  }
  for (Block& remark : status_remarks(session)) {
    section.blocks.push_back(std::move(remark));
  }
  if (const std::string stopped = sweep.stopped_by.value_or(""); !stopped.empty()) {
    section.blocks.emplace_back(Paragraph{"The sweep ended early: " + stopped, Tone::kWarning});
  }
  return section;
}

// Computed again from the processes of the points.
StreamScaling scaling_of(const std::vector<QueueRunDocument>& points) {
  std::vector<StreamPoint> given;
  for (const QueueRunDocument& point : points) {
    given.push_back(stream_point(point.request.streams, point.work, point.processes));
  }
  return stream_scaling(given);
}

}  // namespace

Result<Report> build_queue_sweep_report(const OpenSession& session, const Json& document) {
  const std::string source = (session.path / layout::kQueue).string();
  AACO_ASSIGN(const QueueSweepDocument sweep, read_queue_sweep(document, source));
  const std::vector<QueueRunDocument>& points = sweep.points;
  const StreamScaling scaling = scaling_of(points);
  const std::string unit = points.empty() ? "units/s" : points.front().work.unit + "/s";
  Report report;
  report.title = fmt::format("{} on {} over streams", sweep.workload,
                             points.empty() ? session.info.facts.backend : devices_of(points.front()));
  report.subtitle = fmt::format("Sweep {}, recorded {}", session.info.session_id, session.info.created_utc);
  if (!points.empty()) {
    report.subtitle += fmt::format("; dispatch {}, synchronisation {}, parameters {}", points.front().request.dispatch,
                                   points.front().request.sync_mode, parameters_of(points.front()));
  }
  report.badges.push_back(status_badge(session.status));
  report.sections.push_back(summary_of(session, scaling, unit, sweep));
  Section plots{"streams", "Over streams"};
  plots.blocks = {ChartBlock{throughput_by_streams(scaling, unit)}, ChartBlock{efficiency_by_streams(scaling)},
                  ChartBlock{latency_by_streams(scaling, latency_lines(points))},
                  ChartBlock{throughput_per_stream(scaling, unit)}};
  report.sections.push_back(std::move(plots));
  if (!scaling.rows.empty()) {
    report.sections.push_back(stream_scaling_section(scaling, unit));
  }
  if (!points.empty()) {
    report.sections.push_back({"points", "By stream count", {}, {point_table(points)}});
  }
  add_last_sections(session, report);
  return report;
}

}  // namespace aaco::report
