// SPDX-License-Identifier: MIT
#include "kind/sweep/report/training_study_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "base/format.h"
#include "kind/sweep/report/sweep_members.h"
#include "kind/training/analysis/training_metrics.h"
#include "report/plot/estimate_bars.h"
#include "report/sections/document_report.h"
#include "report/sections/estimates.h"
#include "report/sections/kind_headline.h"
#include "report/sections/sections.h"
#include "report/values.h"
#include "session/bundle/layout.h"

namespace aaco::report {

namespace {

Tone tone_of(StudyOutcome outcome) {
  return outcome == StudyOutcome::kFailed     ? Tone::kBad
         : outcome == StudyOutcome::kMeasured ? Tone::kNeutral
                                              : Tone::kWarning;
}

std::vector<Cell> row_cells(const StudyRow& row) {
  const TrainingRequest& request = row.cell->request;
  std::vector<Cell> cells{text_cell(request.preset), text_cell(fmt::format("V{}", request.version)),
                          text_cell(request.precision),
                          text_cell(fmt::format("{} x {}", request.sequences, request.length))};
  const std::string outcome = study_outcome_name(row.cell->outcome);
  if (row.figures == nullptr) {
    cells.push_back(missing_cell(outcome));
    cells.resize(cells.size() + 6);
  } else {
    const TrainingFigures& figures = *row.figures;
    cells.insert(
        cells.end(),
        {estimate_cell(figures.step_ns, "ns", "no data"), row.speedup ? estimate_cell(row.speedup, "1", "") : Cell(),
         row.speedup ? text_cell(fmt::format("V{}", row.speedup_over)) : Cell(),
         estimate_cell(figures.tokens_per_s, "tokens/s", "no data"), percent_cell(figures.mfu, "not known"),
         number_cell(static_cast<double>(figures.peak_bytes), "B"), optional_cell(figures.last_loss, "1")});
  }
  cells.push_back(text_cell(outcome, tone_of(row.cell->outcome)));
  return cells;
}

TableBlock cell_table(const std::vector<StudyRow>& rows) {
  TableBlock table{.id = "study",
                   .columns = {{"size"},
                               {"version"},
                               {"precision"},
                               {"tokens"},
                               {"step [95 %]", true},
                               {"speedup", true},
                               {"over"},
                               {"tokens/s", true},
                               {"MFU", true},
                               {"peak memory", true},
                               {"last loss", true},
                               {"outcome"}},
                   .sortable = true,
                   .note =
                       "Medians over processes, which took turns. Speedup: over the first version that was measured "
                       "of the same size, precision and batch, process by process."};
  for (const StudyRow& row : rows) {
    table.rows.push_back(row_cells(row));
  }
  return table;
}

// A bar for each cell that has the figure, the first on top, with whiskers of its interval.
plot::Chart bar_chart(plot::Chart chart, const std::vector<StudyRow>& rows, plot::FormatValue format,
                      const std::optional<Estimate>& (*figure)(const StudyRow& row)) {
  plot::Series bars{.mark = plot::Mark::kBars};
  for (const StudyRow& row : rows) {
    if (row.figures != nullptr) {
      plot::add_estimate_bar(name_of(*row.cell), figure(row), chart, bars, format);
    }
  }
  chart.series.push_back(std::move(bars));
  return chart;
}

std::vector<Block> charts(const std::vector<StudyRow>& rows) {
  constexpr const char* kWhiskers = "Median over processes; whiskers are its 95 % interval.";
  return {ChartBlock{bar_chart(
              {.id = "study-tokens",
               .title = "Tokens per second",
               .caption = kWhiskers,
               .x = {.title = "rate", .quantity = plot::Quantity::kSi, .unit = "tokens/s", .from_zero = true},
               .no_data = "nothing was measured"},
              rows, [](double value) { return format_in_unit(value, "tokens/s"); },
              [](const StudyRow& row) -> const std::optional<Estimate>& { return row.figures->tokens_per_s; })},
          ChartBlock{bar_chart(
              {.id = "study-speedups",
               .title = "Speedup over the first version of the same size",
               .caption = kWhiskers,
               .x = {.title = "times as fast", .from_zero = true},
               .no_data = "no two versions of one size were measured"},
              rows, [](double value) { return format_in_unit(value, "1"); },
              [](const StudyRow& row) -> const std::optional<Estimate>& { return row.speedup; })}};
}

constexpr SubjectMetric<StudyRow> kRowMetrics[] = {
    {{"speedup", "speedup", "1", "over the first version of its size, precision and batch that was measured",
      "two versions of a size", "what made it faster"},
     [](const StudyRow& row) { return figure_or(row.speedup, "it is the first version of its size"); }},
};

// With the sessions that came so far, their gates and reports.
std::vector<SweepMember> members_of(const std::vector<StudyRow>& rows) {
  const TrainingFigures none;
  std::vector<SweepMember> members;
  for (const StudyRow& row : rows) {
    const StudyCell& cell = *row.cell;
    const bool has_figures = row.figures != nullptr;
    SweepMember member{
        name_of(cell),
        has_figures ? "" : fmt::format("{}: {}", study_outcome_name(cell.outcome), cell.reason),
        {cell.bundle},
        rows_of(training_metrics(has_figures ? *row.figures : none, nullptr),
                {"step_wall_time", "training_tokens_per_s", "mfu", "training_peak_memory", "last_loss"})};
    std::ranges::move(metric_rows(kRowMetrics, row), std::back_inserter(member.figures));
    members.push_back(std::move(member));
  }
  return members;
}

std::string best_words(const std::vector<StudyRow>& rows) {
  const StudyRow* best = nullptr;
  for (const StudyRow& row : rows) {
    if (row.figures != nullptr && row.figures->tokens_per_s &&
        (best == nullptr || row.figures->tokens_per_s->value > best->figures->tokens_per_s->value)) {
      best = &row;
    }
  }
  return best == nullptr ? "no speed is known"
                         : fmt::format("most tokens/s: {} in version {}",
                                       line_of(estimate_cell(best->figures->tokens_per_s, "tokens/s")),
                                       best->cell->request.version);
}

bool is_measured(const StudyCell& cell) { return cell.outcome == StudyOutcome::kMeasured; }

std::string measured_words(const TrainingStudyDocument& study) {
  return fmt::format("{} of {} combinations measured", std::ranges::count_if(study.cells, is_measured),
                     study.cells.size());
}

// The largest speed-up that its interval shows, and what was not measured.
Headline headline_of(const TrainingStudyDocument& study, const std::vector<StudyRow>& rows,
                     const std::vector<Section>& sections) {
  Headline headline = headline_with(fmt::format("{}; {}", measured_words(study), best_words(rows)), sections);
  const StudyRow* best = nullptr;
  for (const StudyRow& row : rows) {
    if (row.speedup && row.speedup->interval && row.speedup->interval->low > 1 &&
        (best == nullptr || row.speedup->value > best->speedup->value)) {
      best = &row;
    }
  }
  if (best != nullptr) {
    headline.findings.push_back(fmt::format("largest speed-up: {}, {} times version {}", name_of(*best->cell),
                                            line_of(estimate_cell(best->speedup, "1")), best->speedup_over));
  }
  const auto lost = std::ranges::find_if_not(study.cells, is_measured);
  if (lost != study.cells.end()) {
    headline.findings.push_back(
        fmt::format("not measured: {} ({}: {})", name_of(*lost), study_outcome_name(lost->outcome), lost->reason));
    if (headline.quality_tone == Tone::kGood) {
      const auto count = std::ranges::count_if(study.cells, [](const StudyCell& cell) { return !is_measured(cell); });
      set_quality({{counted(count, "combination was", "combinations were") + " not measured", Tone::kWarning}},
                  headline);
    }
  }
  return headline;
}

Section cells_section(const std::vector<StudyRow>& rows, const std::vector<SweepMember>& members, bool with_charts) {
  Section section{.id = "study", .title = "Sizes and versions", .badges = {}, .blocks = {cell_table(rows)}};
  add_lost_members("Not measured", members, section);
  if (with_charts) {
    for (Block& chart : charts(rows)) {
      section.blocks.push_back(std::move(chart));
    }
  }
  add_member_sessions("Sessions", members, section);
  return section;
}

Result<Report> build_report(const OpenSession& session, const Json& document) {
  AACO_ASSIGN(const TrainingStudyDocument study,
              read_training_study(document, (session.path / layout::kTraining).string()));
  Report report{.title = fmt::format("Tiny LLaMA study on {}", session.info.facts.backend)};
  report.subtitle = fmt::format("Session {}, recorded {}; {}", session.info.session_id, session.info.created_utc,
                                measured_words(study));
  report.badges.push_back(status_badge(session.status));
  if (std::vector<Block> remarks = status_remarks(session); !remarks.empty()) {
    report.sections.push_back({.id = "summary", .title = "Summary", .badges = {}, .blocks = std::move(remarks)});
  }
  const std::vector<StudyRow> rows = study_rows(study);
  report.headline = headline_of(study, rows, report.sections);
  const std::vector<SweepMember> members = members_of(rows);
  report.sections.push_back(cells_section(rows, members, true));
  report.metrics = member_metrics(members);
  add_last_sections(session, "training.md", report);
  return report;
}

}  // namespace

Report build_training_study_summary(const TrainingStudyDocument& study) {
  Report report{.title = "Tiny LLaMA study"};
  const std::vector<StudyRow> rows = study_rows(study);
  report.headline = headline_of(study, rows, {});
  report.sections.push_back(cells_section(rows, members_of(rows), false));
  return report;
}

Result<Report> training_study_report(const OpenSession& session) { return report_of_document(session, build_report); }

}  // namespace aaco::report
