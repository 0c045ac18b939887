// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "analysis/documents/queue_probe_document.h"
#include "base/format.h"
#include "base/json.h"
#include "report/queue/queue_plots.h"
#include "report/queue/queue_report.h"
#include "report/queue/queue_sections.h"
#include "report/sections/document_report.h"
#include "report/sections/sections.h"
#include "report/values.h"
#include "session/layout.h"

namespace aaco::report {

namespace {

constexpr int32_t kMostOpenRows = 32;  // of a matrix that is shown without being asked for

KeyFigure key_figure(const char* label, const MetricValue& figure) {
  if (!figure.value) {
    return {label, "no data", quality_text(figure.quality), Tone::kWarning};
  }
  const bool sound = is_plain(figure.quality);
  const std::string interval =
      figure.interval ? "95 % " + format_interval(*figure.interval, "ns") : "no interval: needs 3 processes";
  return {label, format_in_unit(*figure.value, "ns"), sound ? interval : quality_text(figure.quality),
          sound ? Tone::kNeutral : Tone::kWarning};
}

Section summary_of(const OpenSession& session, const QueueProbeDocument& document) {
  Section section{"summary", "Summary"};
  KeyFigures key{{key_figure("switch between streams costs", document.independent.cost),
                  key_figure("hand-off by an event costs", document.hand_off.cost)}};
  if (!document.launches.empty()) {
    key.figures.push_back(key_figure("a launch takes the host", document.launches.front().per_kernel));
  }
  const QueueLimit& limit = document.limit;
  key.figures.push_back({"hardware queues", limit.queues ? std::to_string(*limit.queues) : "not known",
                         limit.queues ? "busy streams before one more waits" : limit.reason});
  section.blocks.emplace_back(std::move(key));
  for (Block& remark : status_remarks(session)) {
    section.blocks.push_back(std::move(remark));
  }
  return section;
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

}  // namespace

Result<Report> build_queue_probe_report(const OpenSession& session, const Json& document) {
  const std::string source = (session.path / layout::kQueueProbe).string();
  AACO_ASSIGN(const QueueProbeDocument read, read_queue_probe(document, source));
  Report report;
  report.title = fmt::format("Hardware queues of {} ({}), {}", read.request.device, read.device_name,
                             counted(read.request.streams, "stream", "streams"));
  report.subtitle = fmt::format("Probes of session {}, recorded {}, {}", session.info.session_id,
                                session.info.created_utc, counted(read.request.processes, "process", "processes"));
  report.badges.push_back(status_badge(session.status));
  report.sections = {summary_of(session, read),   switches_of(read),           map_section(read.map, read.limit),
                     launches_of(read),           convoy_section(read.convoy), priority_section(read.priority),
                     record_section(read.records)};
  add_last_sections(session, report);
  return report;
}

}  // namespace aaco::report
