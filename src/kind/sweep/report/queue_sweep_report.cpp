// SPDX-License-Identifier: MIT
#include "kind/sweep/report/queue_sweep_report.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>

#include "base/format.h"
#include "kind/queue_run/analysis/queue_metrics.h"
#include "kind/queue_run/analysis/queue_run_metrics.h"
#include "kind/queue_run/report/queue_document.h"
#include "kind/queue_run/report/queue_plots.h"
#include "kind/queue_run/report/queue_sections.h"
#include "kind/sweep/document/queue_sweep_document.h"
#include "kind/sweep/report/sweep_members.h"
#include "report/sections/document_report.h"
#include "report/sections/estimates.h"
#include "report/sections/kind_headline.h"
#include "report/sections/sections.h"
#include "report/values.h"
#include "session/bundle/layout.h"

namespace aaco::report {

namespace {

constexpr const char* kNeedsThroughput = "a stream count that has a throughput";
constexpr const char* kNeedsTwo = "two stream counts that have a throughput";

constexpr SubjectMetric<StreamScalingRow> kStreamMetrics[] = {
    {{"scaling_efficiency", "scaling efficiency", "%", "throughput per stream over that of the fewest streams",
      kNeedsThroughput, "whether the workload uses the streams"},
     [](const StreamScalingRow& row) { return percent_figure(row.efficiency, row.efficiency_interval, ""); }},
    {{"gain_per_doubling", "gain per doubling", "%",
      "growth of throughput from the stream count before, for each doubling of the streams", kNeedsTwo,
      "what limits it"},
     [](const StreamScalingRow& row) {
       return percent_figure(row.gain_per_doubling, row.gain_interval, "no smaller stream count has a throughput");
     }},
};

constexpr SubjectMetric<StreamScaling> kScalingMetrics[] = {
    {{"saturation_streams", "saturated from", "1",
      "first stream count from which the next doubling gains less than 10 %", kNeedsTwo, "what limits it"},
     [](const StreamScaling& scaling) {
       const std::optional<int64_t>& streams = scaling.saturation_streams;
       return figure_or(streams ? std::optional(static_cast<double>(*streams)) : std::nullopt, scaling.saturation);
     }},
};

std::vector<MetricRow> metrics_of(const QueueRunDocument& point) {
  return queue_run_metrics(point.figures, point.work, point.processes);
}

std::vector<LatencyLine> latency_lines(const std::vector<QueueRunDocument>& points) {
  std::vector<LatencyLine> lines;
  for (const auto& [name, id] :
       {std::pair{"median", "iteration_p50"}, std::pair{"p95", "iteration_p95"}, std::pair{"p99", "iteration_p99"}}) {
    LatencyLine line{name, {}};
    for (const QueueRunDocument& point : points) {
      const std::vector<MetricRow> metrics = metrics_of(point);
      if (const MetricValue& latency = find_row(metrics, id)->figure; latency.value) {
        line.points.push_back({static_cast<double>(point.work.streams), *latency.value, latency.interval});
      }
    }
    if (!line.points.empty()) {
      lines.push_back(std::move(line));
    }
  }
  return lines;
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
    const std::vector<MetricRow> metrics = metrics_of(point);
    const auto cell = [&](std::string_view id) { return metric_cell(*find_row(metrics, id)); };
    table.rows.push_back({count_cell(point.work.streams), count_cell(point.work.used_streams), cell("iteration_p50"),
                          cell("iteration_p95"), cell("iteration_p99"), count_cell(point.work.kernels),
                          number_cell(static_cast<double>(point.figures.peak_bytes), "B"),
                          point.verification ? text_cell("right") : text_cell("not made", Tone::kWarning),
                          text_cell(std::filesystem::path(point.bundle).filename().string())});
  }
  return table;
}

Section summary_of(const StreamScaling& scaling, const std::string& unit, const QueueSweepDocument& sweep,
                   std::vector<Block> remarks) {
  Section section{"summary", "Summary"};
  if (!scaling.rows.empty()) {
    const auto best = std::max_element(
        scaling.rows.begin(), scaling.rows.end(),
        [](const StreamScalingRow& a, const StreamScalingRow& b) { return a.throughput.value < b.throughput.value; });
    const StreamScalingRow& last = scaling.rows.back();
    section.blocks.emplace_back(KeyFigures{
        {{"highest throughput", estimate_cell(best->throughput, unit),
          "with " + counted(best->streams, "stream", "streams")},
         {scaling.saturation_streams ? "saturated from" : "saturation",
          scaling.saturation_streams ? number_cell(static_cast<double>(*scaling.saturation_streams), "streams")
                                     : missing_cell("not found"),
          scaling.saturation},
         {"scaling efficiency", percent_cell(last.efficiency, last.efficiency_interval),
          fmt::format("of {} against {}", counted(last.streams, "stream", "streams"), scaling.rows.front().streams)}}});
  } else {
    section.blocks.emplace_back(Paragraph{"No data: no throughput was measured.", Tone::kWarning});
  }
  add_remarks(std::move(remarks), sweep.stopped_by, section);
  return section;
}

Headline headline_of(const std::vector<Section>& sections) {
  const KeyFigures* const key =
      sections.front().blocks.empty() ? nullptr : std::get_if<KeyFigures>(&sections.front().blocks.front());
  return headline_with(key == nullptr ? "no throughput was measured" : figure_words(key->figures), sections);
}

// What the profiled processes of each point tell; its own report says why a figure is missing.
std::optional<TableBlock> profile_table(const std::vector<QueueRunDocument>& points) {
  TableBlock table{.id = "profiles",
                   .title = "Under the activity collector",
                   .columns = {{"streams", true},
                               {"kernels in flight", true},
                               {"launch to start, median", true},
                               {"same-stream gap, median", true},
                               {"profiled / unprofiled", true}}};
  for (const QueueRunDocument& point : points) {
    if (point.profile) {
      const WorkloadTimeline& timeline = point.profile->timeline;
      std::vector<Cell> row{count_cell(point.request.streams)};
      for (const MetricRow& metric :
           metric_rows(queue_metrics(), std::array{timeline.concurrency.mean_in_flight, timeline.launch_delay.p50,
                                                   timeline.same_stream_gap.p50, point.profile->overhead.ratio})) {
        row.push_back(metric_cell(metric));
      }
      table.rows.push_back(std::move(row));
    }
  }
  return table.rows.empty() ? std::nullopt : std::optional(std::move(table));
}

// What is noted of every point.
std::vector<Block> common_notes(const std::vector<QueueRunDocument>& points) {
  std::vector<Block> notes;
  for (const std::string& note : points.empty() ? std::vector<std::string>() : points.front().notes) {
    if (std::ranges::all_of(points, [&](const QueueRunDocument& point) {
          return std::ranges::find(point.notes, note) != point.notes.end();
        })) {
      notes.emplace_back(Paragraph{note});
    }
  }
  return notes;
}

std::string unit_of(const std::vector<QueueRunDocument>& points) {
  return points.empty() ? "units/s" : points.front().work.unit + "/s";
}

Section points_section(const std::vector<QueueRunDocument>& points) {
  Section section{"points", "By stream count", {}, {point_table(points)}};
  if (std::optional<TableBlock> profiles = profile_table(points)) {
    section.blocks.emplace_back(std::move(*profiles));
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

// The figures of each run, and how its stream count scales.
std::vector<SweepMember> members_of(const std::vector<QueueRunDocument>& points, const StreamScaling& scaling) {
  std::vector<SweepMember> members;
  for (const QueueRunDocument& point : points) {
    SweepMember member{counted(point.request.streams, "stream", "streams"), "", {point.bundle}, metrics_of(point)};
    const auto row = std::ranges::find(scaling.rows, point.request.streams, &StreamScalingRow::streams);
    if (row != scaling.rows.end()) {
      std::ranges::move(metric_rows(kStreamMetrics, *row), std::back_inserter(member.figures));
    }
    members.push_back(std::move(member));
  }
  return members;
}

}  // namespace

Result<Report> build_queue_sweep_report(const OpenSession& session, const Json& document) {
  const std::string source = (session.path / layout::kQueue).string();
  AACO_ASSIGN(const QueueSweepDocument sweep, read_queue_sweep(document, source));
  const std::vector<QueueRunDocument>& points = sweep.points;
  const StreamScaling scaling = scaling_of(points);
  const std::string unit = unit_of(points);
  Report report;
  report.title = fmt::format("{} on {} over streams", sweep.workload,
                             points.empty() ? session.info.facts.backend : devices_of(points.front()));
  report.subtitle = fmt::format("Sweep {}, recorded {}", session.info.session_id, session.info.created_utc);
  if (!points.empty()) {
    report.subtitle += fmt::format("; dispatch {}, synchronisation {}, parameters {}", points.front().request.dispatch,
                                   points.front().request.sync_mode, parameters_of(points.front()));
  }
  report.badges.push_back(status_badge(session.status));
  report.sections.push_back(summary_of(scaling, unit, sweep, status_remarks(session)));
  report.headline = headline_of(report.sections);
  Section plots{"streams", "Over streams"};
  plots.blocks = {ChartBlock{throughput_by_streams(scaling, unit)}, ChartBlock{efficiency_by_streams(scaling)},
                  ChartBlock{latency_by_streams(scaling, latency_lines(points))},
                  ChartBlock{throughput_per_stream(scaling, unit)}};
  report.sections.push_back(std::move(plots));
  if (!scaling.rows.empty()) {
    report.sections.push_back(stream_scaling_section(scaling, unit));
  }
  if (!points.empty()) {
    report.sections.push_back(points_section(points));
  }
  add_last_sections(session, "queues.md", report);
  report.metrics = metric_rows(kScalingMetrics, scaling);
  std::ranges::move(member_metrics(members_of(points, scaling)), std::back_inserter(report.metrics));
  return report;
}

Report build_queue_sweep_summary(const QueueSweepDocument& sweep) {
  const std::vector<QueueRunDocument>& points = sweep.points;
  Report report{.title = sweep.workload + " over streams"};
  report.subtitle = points.empty() ? "" : "on " + devices_of(points.front());
  report.sections = {summary_of(sweep.scaling, unit_of(points), sweep, common_notes(points)),
                     stream_scaling_section(sweep.scaling, unit_of(points)), points_section(points)};
  report.headline = headline_of(report.sections);
  report.footer = "bundle  " + sweep.bundle;
  return report;
}

Result<Report> queue_sweep_report(const OpenSession& session) {
  return report_of_document(session, build_queue_sweep_report);
}

}  // namespace aaco::report
