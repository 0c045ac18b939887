// SPDX-License-Identifier: MIT
#include "kind/sharded/report/sharded_report.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/format.h"
#include "base/json/json.h"
#include "kind/sharded/analysis/sharded_metrics.h"
#include "kind/sharded/report/sharded_sections.h"
#include "kind/training/report/gates_section.h"
#include "report/sections/document_report.h"
#include "report/sections/estimates.h"
#include "report/sections/kind_headline.h"
#include "report/sections/sections.h"
#include "session/bundle/layout.h"

namespace aaco::report {

namespace {

std::string title_of(const ShardedDocument& document) {
  return fmt::format("Overlap: {}, {}, {} {}", document.model, document.mode, document.setting.ranks,
                     document.setting.ranks == 1 ? "rank" : "ranks");
}

bool gates_hold(const ShardedDocument& document) {
  return std::none_of(document.gates.begin(), document.gates.end(), is_failed);
}

// Where a step goes, mean over ranks.
// Of a recorded step, the mean over ranks: a sum over ranks would be longer than the step.
TimeBar budget_of(const OverlapFigures& figures) {
  StepShares sum;
  for (const RankOverlap& rank : figures.ranks) {
    sum.computation_ns += rank.mean.computation_ns;
    sum.exposed_communication_ns += rank.mean.exposed_communication_ns;
    sum.exposed_copy_ns += rank.mean.exposed_copy_ns;
    sum.idle_ns += rank.mean.idle_ns;
  }
  const double ranks = static_cast<double>(std::max<size_t>(1, figures.ranks.size()));
  return {{{"computation", sum.computation_ns / ranks, 0},
           {"exposed communication", sum.exposed_communication_ns / ranks, 1},
           {"exposed copies", sum.exposed_copy_ns / ranks, 2},
           {"idle", sum.idle_ns / ranks, plot::kMuted}}};
}

Headline headline_of(const ShardedDocument& document, const std::vector<Section>& sections) {
  const std::vector<MetricRow> metrics = sharded_metrics(document);
  Headline headline = headline_with(figure_words({key_figure(metrics, "rank_step_p50", "median step, slowest rank"),
                                                  key_figure(metrics, "communication_hidden", "communication hidden")}),
                                    sections);
  if (document.figures) {
    headline.budget = budget_of(*document.figures);
    for (const OverlapCause& cause : document.causes) {
      headline.findings.push_back(fmt::format("{}: could save up to {} ({} of the step)", cause.title,
                                              format_duration_ns(cause.saves_ns),
                                              format_percent(cause.saves_ns / document.figures->median_step_ns)));
    }
  }
  return headline;
}

void add_sections(const ShardedDocument& document, std::vector<Block> remarks, bool with_keys, Report& report) {
  report.metrics = sharded_metrics(document);
  report.sections.push_back(sharded_summary_section(document, std::move(remarks)));
  if (document.hang) {
    report.sections.push_back(sharded_hang_section(*document.hang));
  }
  report.headline = headline_of(document, report.sections);
  if (gates_hold(document) && document.figures) {
    report.sections.push_back(overlap_causes_section(document));
  }
  report.sections.push_back(gates_section(document.gates));
  if (gates_hold(document) && document.figures) {
    report.sections.push_back(sharded_timeline_section(document));
    report.sections.push_back(sharded_ranks_section(document));
    report.sections.push_back(sharded_collectives_section(document));
    report.sections.push_back(sharded_contention_section(document));
  }
  report.sections.push_back(sharded_loss_section(document));
  report.sections.push_back(sharded_configuration_section(document, with_keys));
}

}  // namespace

Result<Report> build_sharded_report(const OpenSession& session, const Json& document) {
  AACO_ASSIGN(const ShardedDocument read, read_sharded_document(document, (session.path / layout::kOverlap).string()));
  Report report;
  report.title = title_of(read);
  report.subtitle = fmt::format("Session {}, recorded {}; dispatch {}", session.info.session_id,
                                session.info.created_utc, read.dispatch);
  report.badges.push_back(status_badge(session.status));
  add_sections(read, status_remarks(session), true, report);
  add_last_sections(session, "overlap.md", report);
  return report;
}

Result<Report> sharded_report(const OpenSession& session) { return report_of_document(session, build_sharded_report); }

Report build_hang_report(const ShardedDocument& document) {
  Report report;
  report.title = title_of(document);
  report.sections.push_back(sharded_hang_section(*document.hang));
  report.footer = "bundle  " + document.bundle;
  return report;
}

Report build_sharded_summary(const ShardedDocument& document) {
  Report report;
  report.title = title_of(document);
  report.subtitle =
      fmt::format("dispatch {}, {} steps, {} of them warm-up", document.dispatch, document.steps, document.warmup);
  add_sections(document, {}, false, report);
  report.footer = "bundle  " + document.bundle;
  return report;
}

}  // namespace aaco::report
