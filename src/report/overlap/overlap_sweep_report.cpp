// SPDX-License-Identifier: MIT
#include "report/overlap/overlap_sweep_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/format.h"
#include "base/json.h"
#include "report/overlap/overlap_plots.h"
#include "report/sections/document_report.h"
#include "report/sections/sections.h"
#include "report/sinks.h"
#include "report/values.h"
#include "session/layout.h"

namespace aaco::report {

namespace {

std::string name_of(const JudgedSweepPoint& judged) {
  return judged.point.change.empty() ? "as it is" : judged.point.change;
}

Tone tone_of(const JudgedSweepPoint& judged) {
  if (!judged.point.failure.empty()) {
    return Tone::kWarning;
  }
  if (judged.point.change.empty()) {
    return Tone::kNeutral;
  }
  return judged.comparison.verdict == Verdict::kImproved    ? Tone::kGood
         : judged.comparison.verdict == Verdict::kRegressed ? Tone::kBad
                                                            : Tone::kNeutral;
}

bool is_open(const JudgedSweepPoint& judged) {
  return !judged.point.change.empty() &&
         (judged.comparison.verdict == Verdict::kInconclusive || judged.comparison.verdict == Verdict::kInvalid);
}

// Without the reason, which would not fit a table.
std::string short_words(const JudgedSweepPoint& judged) {
  if (!judged.point.failure.empty()) {
    return "not measured";
  }
  return is_open(judged) ? judged.words.substr(0, judged.words.find(':')) : judged.words;
}

// Of each that was not measured, or of which nothing was shown: why.
Bullets reasons_of(const OverlapSweep& sweep) {
  Bullets reasons{.title = "Why not", .items = {}};
  for (const JudgedSweepPoint& judged : sweep.points) {
    if (!judged.point.failure.empty()) {
      reasons.items.push_back(fmt::format("{}: {}", name_of(judged), judged.point.failure));
    } else if (is_open(judged)) {
      reasons.items.push_back(fmt::format("{}: {}", name_of(judged), judged.words));
    }
  }
  return reasons;
}

std::vector<Cell> row_cells(const JudgedSweepPoint& judged) {
  const std::optional<Estimate>& step = judged.step_ns;
  const std::optional<double>& ratio = judged.comparison.ratio;
  return {text_cell(name_of(judged)), step ? interval_cell(step->value, step->interval, "ns") : missing_cell("no data"),
          duration_cell(judged.exposed_ns),
          judged.point.change.empty() ? Cell()
          : ratio                     ? interval_cell(*ratio, judged.comparison.interval, "1")
                                      : missing_cell("no data"),
          text_cell(short_words(judged), tone_of(judged))};
}

Section changes_section(const OverlapSweep& sweep, std::vector<Block> remarks, bool with_charts) {
  Section section{"changes", "What each change did", {}, std::move(remarks)};
  section.blocks.emplace_back(sweep.best.empty()
                                  ? Paragraph{"None is shown to be faster than the configuration as it is."}
                                  : Paragraph{fmt::format("Best: {}", sweep.best), Tone::kGood});
  TableBlock table{.id = "changes",
                   .columns = {{"change"},
                               {"step [95 %]", true},
                               {"exposed communication", true},
                               {"over as it is", true},
                               {"what it did"}},
                   .rows = {},
                   .sortable = true,
                   .note = fmt::format(
                       "Medians over {}; each round has fresh processes of every point, in another order. A ratio is "
                       "of the rounds in pairs; its interval is wide enough that all comparisons together call one "
                       "faster or slower wrongly with a probability of {} at most.",
                       counted(sweep.rounds, "round", "rounds"), format_percent(kVerdictLevel, 0))};
  for (const JudgedSweepPoint& judged : sweep.points) {
    table.rows.push_back(row_cells(judged));
  }
  section.blocks.emplace_back(std::move(table));
  if (Bullets reasons = reasons_of(sweep); !reasons.items.empty()) {
    section.blocks.emplace_back(std::move(reasons));
  }
  if (with_charts) {
    section.blocks.emplace_back(ChartBlock{sweep_step_chart(sweep)});
  }
  return section;
}

Section setup_section(const OverlapSweep& sweep, bool with_sessions) {
  Section section{"setup", "Setup"};
  section.blocks.emplace_back(
      FactList{{{"configuration", sweep.config.empty() ? "the defaults" : sweep.config},
                {"overrides", sweep.overrides.empty() ? "none" : fmt::format("{}", fmt::join(sweep.overrides, " "))},
                {"devices", fmt::format("{}", fmt::join(sweep.devices, ", "))}}});
  Bullets sessions{.title = "Sessions of the trainings", .items = {}};
  for (const JudgedSweepPoint& judged : sweep.points) {
    if (!judged.point.sessions.empty()) {
      sessions.items.push_back(fmt::format("{}: {}", name_of(judged), fmt::join(judged.point.sessions, ", ")));
    }
  }
  if (with_sessions && !sessions.items.empty()) {
    section.blocks.emplace_back(std::move(sessions));
  }
  return section;
}

std::string title_of(const OverlapSweep& sweep) {
  return fmt::format("Overlap: one change at a time, {}", counted(sweep.devices.size(), "rank", "ranks"));
}

Result<Report> build_report(const OpenSession& session, const Json& json) {
  AACO_ASSIGN(const OverlapSweep sweep, read_overlap_sweep(json, (session.path / layout::kOverlap).string()));
  Report report;
  report.title = title_of(sweep);
  report.subtitle = fmt::format("Session {}, recorded {}", session.info.session_id, session.info.created_utc);
  report.badges.push_back(status_badge(session.status));
  report.sections.push_back(changes_section(sweep, status_remarks(session), true));
  report.sections.push_back(setup_section(sweep, true));
  add_last_sections(session, report);
  return report;
}

}  // namespace

Result<Report> overlap_sweep_report(const OpenSession& session) { return report_of_document(session, build_report); }

std::string overlap_sweep_text(const OverlapSweep& sweep) {
  Report report;
  report.title = title_of(sweep);
  report.subtitle = fmt::format("{} of {}", counted(sweep.rounds, "round", "rounds"),
                                counted(sweep.points.size(), "configuration", "configurations"));
  report.sections = {changes_section(sweep, {}, false), setup_section(sweep, false)};
  report.footer = "bundle  " + sweep.bundle;
  return render_text(report);
}

}  // namespace aaco::report
