// SPDX-License-Identifier: MIT
#include "kind/queue_probe/queue_probe_report.h"

#include <fmt/format.h>

#include "base/format.h"
#include "base/json/json.h"
#include "kind/queue_probe/queue_probe_document.h"
#include "kind/queue_run/analysis/queue_metrics.h"
#include "kind/queue_run/report/queue_plots.h"
#include "kind/queue_run/report/queue_sections.h"
#include "report/sections/document_report.h"
#include "report/sections/estimates.h"
#include "report/sections/kind_headline.h"
#include "report/sections/sections.h"
#include "report/values.h"
#include "session/bundle/layout.h"

namespace aaco::report {

namespace {

constexpr int32_t kMostOpenRows = 32;  // of a matrix that is shown without being asked for

// Everything that the probes measured, in the order of the sections.
std::vector<MetricRow> metrics_of(const QueueProbeDocument& document) {
  std::vector<MetricValue> values{document.independent.one_stream_gap,
                                  document.independent.switch_gap,
                                  document.independent.cost,
                                  document.independent.mean_cost,
                                  document.independent.wall_cost,
                                  document.hand_off.switch_gap,
                                  document.hand_off.cost,
                                  document.hand_off.mean_cost,
                                  document.hand_off.wall_cost,
                                  document.convoy.alone_p50,
                                  document.convoy.behind_p50,
                                  document.convoy.behind_p99,
                                  document.convoy.effect,
                                  document.priority.low_delay,
                                  document.priority.high_delay,
                                  document.priority.effect,
                                  document.records.excess};
  if (!document.launches.empty()) {
    const LaunchCost& launch = document.launches.front();
    values.insert(values.end(), {launch.call_p50, launch.call_p99, launch.per_kernel});
  }
  return metric_rows(queue_metrics(), values);
}

Section summary_of(const QueueProbeDocument& document, std::vector<Block> remarks) {
  Section section{"summary", "Summary"};
  const std::vector<MetricRow> metrics = metrics_of(document);
  KeyFigures key{{key_figure(metrics, document.independent.cost.id, "switch between streams costs"),
                  key_figure(metrics, document.hand_off.cost.id, "hand-off by an event costs")}};
  if (!document.launches.empty()) {
    key.figures.push_back(key_figure(metrics, document.launches.front().per_kernel.id, "a launch takes the host"));
  }
  const QueueLimit& limit = document.limit;
  key.figures.push_back({"hardware queues", limit.queues ? count_cell(*limit.queues) : missing_cell("not known"),
                         limit.queues ? "busy streams before one more waits" : limit.reason});
  section.blocks.emplace_back(std::move(key));
  for (Block& remark : remarks) {
    section.blocks.push_back(std::move(remark));
  }
  return section;
}

Headline headline_of(const QueueProbeDocument& document, const std::vector<Section>& sections) {
  const std::vector<MetricRow> metrics = metrics_of(document);
  return headline_with(
      figure_words({key_figure(metrics, document.independent.cost.id, "a switch between streams costs"),
                    key_figure(metrics, document.hand_off.cost.id, "a hand-off by an event"),
                    {"hardware queues", document.limit.queues ? count_cell(*document.limit.queues)
                                                              : missing_cell("not known: " + document.limit.reason)}}),
      sections);
}

TableBlock pair_table(const QueueMap& map) {
  TableBlock table{
      .id = "queue-pairs",
      .columns = {{"stream", true}, {"stream", true}, {"queue"}, {"waited", true}, {"the other way", true}},
      .sortable = true,
      .note = "Waited: how often the kernel of the one waited for that of the other, of the valid votes."};
  for (const StreamPair& pair : map.pairs) {
    table.rows.push_back({count_cell(pair.first), count_cell(pair.second),
                          text_cell(Json(pair.relation).get<std::string>()),
                          text_cell(fmt::format("{} of {}", pair.waited, pair.votes)),
                          text_cell(fmt::format("{} of {}", pair.reverse_waited, pair.reverse_votes))});
  }
  return table;
}

Section map_section(const QueueMap& map, const QueueLimit& limit) {
  Section section = queue_map_section(map, limit);
  if (map.valid && !map.pairs.empty()) {
    const ChartBlock matrix{queue_matrix(map)};
    if (map.streams <= kMostOpenRows) {
      section.blocks.emplace_back(matrix);
    } else {
      section.blocks.emplace_back(FoldedBlocks{"The map as a matrix", {matrix}});
    }
    section.blocks.emplace_back(FoldedBlocks{"Votes of each pair", {pair_table(map)}});
  }
  return section;
}

Section switches_of(const QueueProbeDocument& document) {
  Section section = switch_section(document.independent, document.hand_off);
  section.blocks.insert(section.blocks.begin(), ChartBlock{switch_gaps(document.independent, document.hand_off)});
  return section;
}

Section launches_of(const QueueProbeDocument& document) {
  Section section = launch_cost_section(document.launches);
  section.blocks.insert(section.blocks.begin(), ChartBlock{launch_by_threads(document.launches)});
  return section;
}

std::string title_of(const QueueProbeDocument& document) {
  return fmt::format("Hardware queues of {} ({}), {}", document.request.device, document.device_name,
                     counted(document.request.streams, "stream", "streams"));
}

}  // namespace

Result<Report> build_queue_probe_report(const OpenSession& session, const Json& document) {
  const std::string source = (session.path / layout::kQueueProbe).string();
  AACO_ASSIGN(const QueueProbeDocument read, read_queue_probe(document, source));
  Report report;
  report.title = title_of(read);
  report.subtitle = fmt::format("Probes of session {}, recorded {}, {}", session.info.session_id,
                                session.info.created_utc, counted(read.request.processes, "process", "processes"));
  report.badges.push_back(status_badge(session.status));
  report.metrics = metrics_of(read);
  report.sections = {summary_of(read, status_remarks(session)),
                     switches_of(read),
                     map_section(read.map, read.limit),
                     launches_of(read),
                     convoy_section(read.convoy),
                     priority_section(read.priority),
                     record_section(read.records)};
  report.headline = headline_of(read, report.sections);
  add_last_sections(session, "queue-probes.md", report);
  return report;
}

Report build_queue_probe_summary(const QueueProbeDocument& document) {
  Report report{.title = title_of(document)};
  report.subtitle = counted(document.request.processes, "process", "processes");
  report.metrics = metrics_of(document);
  report.sections = {summary_of(document, {}),
                     switch_section(document.independent, document.hand_off),
                     launch_cost_section(document.launches),
                     queue_map_section(document.map, document.limit),
                     convoy_section(document.convoy),
                     priority_section(document.priority),
                     record_section(document.records)};
  report.headline = headline_of(document, report.sections);
  report.footer = "bundle  " + document.bundle;
  return report;
}

Result<Report> queue_probe_report(const OpenSession& session) {
  return report_of_document(session, build_queue_probe_report);
}

}  // namespace aaco::report
