// SPDX-License-Identifier: MIT
#include "report/overlap/overlap_report.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/json.h"
#include "report/overlap/overlap_sections.h"
#include "report/sections/document_report.h"
#include "report/sections/sections.h"
#include "report/sinks.h"
#include "report/training/training_sections.h"
#include "session/layout.h"

namespace aaco::report {

namespace {

std::string title_of(const OverlapDocument& document) {
  return fmt::format("Overlap: {}, {}, {} {}", document.model, document.mode, document.setting.ranks,
                     document.setting.ranks == 1 ? "rank" : "ranks");
}

bool gates_hold(const OverlapDocument& document) {
  return std::all_of(document.gates.begin(), document.gates.end(),
                     [](const TrainingGate& gate) { return gate.passed; });
}

void add_sections(const OverlapDocument& document, std::vector<Block> remarks, bool with_keys, Report& report) {
  report.sections.push_back(overlap_summary_section(document, std::move(remarks)));
  if (document.hang) {
    report.sections.push_back(overlap_hang_section(*document.hang));
  }
  report.sections.push_back(gates_section(document.gates));
  if (gates_hold(document) && document.figures) {
    report.sections.push_back(overlap_causes_section(document));
    report.sections.push_back(overlap_timeline_section(document));
    report.sections.push_back(overlap_ranks_section(document));
    report.sections.push_back(overlap_collectives_section(document));
    report.sections.push_back(overlap_contention_section(document));
  }
  report.sections.push_back(overlap_loss_section(document));
  report.sections.push_back(overlap_configuration_section(document, with_keys));
}

}  // namespace

Result<Report> build_overlap_report(const OpenSession& session, const Json& document) {
  AACO_ASSIGN(const OverlapDocument read, read_overlap_document(document, (session.path / layout::kOverlap).string()));
  Report report;
  report.title = title_of(read);
  report.subtitle = fmt::format("Session {}, recorded {}; dispatch {}", session.info.session_id,
                                session.info.created_utc, read.dispatch);
  report.badges.push_back(status_badge(session.status));
  add_sections(read, status_remarks(session), true, report);
  add_last_sections(session, report);
  return report;
}

Result<Report> overlap_report(const OpenSession& session) { return report_of_document(session, build_overlap_report); }

std::string hang_text(const OverlapDocument& document) {
  Report report;
  report.title = title_of(document);
  report.sections.push_back(overlap_hang_section(*document.hang));
  report.footer = "bundle  " + document.bundle;
  return render_text(report);
}

std::string overlap_text(const OverlapDocument& document) {
  Report report;
  report.title = title_of(document);
  report.subtitle =
      fmt::format("dispatch {}, {} steps, {} of them warm-up", document.dispatch, document.steps, document.warmup);
  add_sections(document, {}, false, report);
  report.footer = "bundle  " + document.bundle;
  return render_text(report);
}

}  // namespace aaco::report
