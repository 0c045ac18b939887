// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

#include "base/format.h"
#include "base/json.h"
#include "report/json_fields.h"
#include "report/queue/queue_document.h"
#include "report/queue/queue_plots.h"
#include "report/queue/queue_report.h"
#include "report/queue/queue_sections.h"
#include "report/sections/sections.h"
#include "report/values.h"
#include "session/layout.h"

namespace aaco::report {

namespace {

// A figure of the latency of a point, where it has one: {value, interval} or a bare number with its interval beside.
std::optional<CountedPoint> latency_point(const QueueRunDocument& point, const char* key, const char* interval_key) {
  const Json* latency = member_of(point.figures, "latency");
  const Json* value = latency == nullptr ? nullptr : member_of(*latency, key);
  if (value == nullptr || value->is_null()) {
    return std::nullopt;
  }
  const Json* numbers = value->is_object() ? value : latency;
  const std::optional<double> figure = number_of(*numbers, value->is_object() ? "value" : key);
  if (!figure) {
    return std::nullopt;
  }
  CountedPoint result{static_cast<double>(point.work.streams), *figure};
  const Json* interval = member_of(*numbers, interval_key);
  if (interval != nullptr && number_of(*interval, "low") && number_of(*interval, "high")) {
    result.interval = Interval{*number_of(*interval, "low"), *number_of(*interval, "high")};
  }
  return result;
}

std::vector<LatencyLine> latency_lines(const std::vector<QueueRunDocument>& points) {
  std::vector<LatencyLine> lines;
  for (const auto& [name, key, interval] : {std::tuple{"median", "p50_ns", "interval"},
                                            {"p95", "p95_ns", "p95_interval_ns"},
                                            {"p99", "p99_ns", "p99_interval_ns"}}) {
    LatencyLine line{name, {}};
    for (const QueueRunDocument& point : points) {
      if (const auto found = latency_point(point, key, interval)) {
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
  return point ? interval_cell(point->value, point->interval, "ns") : Cell{.text = "no data", .order = -1};
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
                          latency_cell(latency_point(point, "p50_ns", "interval")),
                          latency_cell(latency_point(point, "p95_ns", "p95_interval_ns")),
                          latency_cell(latency_point(point, "p99_ns", "p99_interval_ns")),
                          count_cell(point.work.kernels), optional_cell(number_of(point.figures, "peak_bytes"), "B"),
                          point.verification.is_null() ? text_cell("not made", Tone::kWarning) : text_cell("right"),
                          text_cell(std::filesystem::path(point.bundle).filename().string())});
  }
  return table;
}

Section summary_of(const OpenSession& session, const StreamScaling& scaling, const std::string& unit,
                   const Json& document) {
  Section section{"summary", "Summary"};
  if (!scaling.rows.empty()) {
    const auto best = std::max_element(
        scaling.rows.begin(), scaling.rows.end(),
        [](const StreamScalingRow& a, const StreamScalingRow& b) { return a.throughput.value < b.throughput.value; });
    const StreamScalingRow& last = scaling.rows.back();
    section.blocks.emplace_back(KeyFigures{
        {{"highest throughput", format_si(best->throughput.value, unit), fmt::format("with {} streams", best->streams)},
         {"saturated from",
          scaling.saturation_streams ? fmt::format("{} streams", *scaling.saturation_streams) : "not found",
          scaling.saturation},
         {"scaling efficiency", format_percent(last.efficiency),
          fmt::format("of {} streams against {}", last.streams, scaling.rows.front().streams)}}});
  } else {
    section.blocks.emplace_back(Paragraph{"No data: no throughput was measured.", Tone::kWarning});
  }
  for (Block& remark : status_remarks(session)) {
    section.blocks.push_back(std::move(remark));
  }
  if (const std::string stopped = text_of(document, "stopped_by"); !stopped.empty()) {
    section.blocks.emplace_back(Paragraph{"The sweep ended early: " + stopped, Tone::kWarning});
  }
  return section;
}

// Computed again from the processes of the points.
StreamScaling scaling_of(const std::vector<QueueRunDocument>& points) {
  std::vector<StreamPoint> given;
  for (const QueueRunDocument& point : points) {
    const auto streams = static_cast<int64_t>(number_of(point.request, "streams").value_or(0));
    given.push_back(stream_point(streams, point.work, point.processes));
  }
  return stream_scaling(given);
}

}  // namespace

Result<Report> build_queue_sweep_report(const OpenSession& session, const Json& document) {
  const std::string source = (session.path / layout::kQueue).string();
  const Json* members = member_of(document, "points");
  if (text_of(document, "kind") != "queue_sweep" || members == nullptr || !members->is_array()) {
    return Error{ErrorKind::kUsage, source + ": not what aaco queue sweep wrote",
                 "the file is damaged: run it again with aaco queue"};
  }
  std::vector<QueueRunDocument> points;
  for (const Json& member : *members) {
    AACO_ASSIGN(points.emplace_back(), read_queue_run(member, source));
  }
  const StreamScaling scaling = scaling_of(points);
  const std::string unit = points.empty() ? "units/s" : points.front().work.unit + "/s";
  Report report;
  report.title = fmt::format("{} on {} over streams", text_of(document, "workload"),
                             points.empty() ? session.info.facts.backend : devices_of(points.front()));
  report.subtitle = fmt::format("Sweep {}, recorded {}", session.info.session_id, session.info.created_utc);
  if (!points.empty()) {
    report.subtitle +=
        fmt::format("; dispatch {}, synchronisation {}, parameters {}", text_of(points.front().request, "dispatch"),
                    text_of(points.front().request, "sync_mode"), parameters_of(points.front()));
  }
  report.badges.push_back(status_badge(session.status));
  report.sections.push_back(summary_of(session, scaling, unit, document));
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
