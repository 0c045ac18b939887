// SPDX-License-Identifier: MIT
#include "report/training/training_study_report.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/format.h"
#include "report/sections/document_report.h"
#include "report/sections/sections.h"
#include "report/values.h"
#include "session/layout.h"

namespace aaco::report {

namespace {

Cell estimate_cell(const std::optional<Estimate>& estimate, std::string_view unit, const std::string& missing) {
  return estimate ? interval_cell(estimate->value, estimate->interval, unit) : missing_cell(missing);
}

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
         estimate_cell(figures.tokens_per_s, "tokens/s", "no data"),
         figures.mfu ? number_cell(100 * *figures.mfu, "%") : missing_cell("not known"),
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
plot::Chart bar_chart(plot::Chart chart, const std::vector<StudyRow>& rows, std::string_view unit,
                      const std::optional<Estimate>& (*figure)(const StudyRow& row)) {
  plot::Series bars{.mark = plot::Mark::kBars};
  for (const StudyRow& row : rows) {
    if (row.figures == nullptr || !figure(row)) {
      continue;
    }
    const Estimate& value = *figure(row);
    const Interval around = value.interval.value_or(Interval{value.value, value.value});
    bars.y.push_back(static_cast<double>(chart.y.categories.size()));
    chart.y.categories.push_back(name_of(*row.cell));
    bars.x.push_back(value.value);
    bars.low.push_back(around.low);
    bars.high.push_back(around.high);
    bars.values.push_back(format_in_unit(value.value, unit));
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
              rows, "tokens/s",
              [](const StudyRow& row) -> const std::optional<Estimate>& { return row.figures->tokens_per_s; })},
          ChartBlock{bar_chart({.id = "study-speedups",
                                .title = "Speedup over the first version of the same size",
                                .caption = kWhiskers,
                                .x = {.title = "times as fast", .from_zero = true},
                                .no_data = "no two versions of one size were measured"},
                               rows, "1",
                               [](const StudyRow& row) -> const std::optional<Estimate>& { return row.speedup; })}};
}

// Of what was not measured, by name.
Bullets unmeasured(const std::vector<StudyRow>& rows) {
  Bullets bullets{.title = "Not measured", .items = {}};
  for (const StudyRow& row : rows) {
    if (row.figures == nullptr) {
      bullets.items.push_back(
          fmt::format("{}: {}: {}", name_of(*row.cell), study_outcome_name(row.cell->outcome), row.cell->reason));
    }
  }
  return bullets;
}

// Of each combination that came so far, with its gates and its report.
Bullets sessions(const std::vector<StudyRow>& rows) {
  Bullets bullets{.title = "Sessions", .items = {}};
  for (const StudyRow& row : rows) {
    bullets.items.push_back(fmt::format("{}: {}", name_of(*row.cell), row.cell->bundle));
  }
  return bullets;
}

Section cells_section(const TrainingStudyDocument& study, bool with_charts) {
  const std::vector<StudyRow> rows = study_rows(study);
  Section section{.id = "study", .title = "Sizes and versions", .badges = {}, .blocks = {cell_table(rows)}};
  if (Bullets missing = unmeasured(rows); !missing.items.empty()) {
    section.blocks.emplace_back(std::move(missing));
  }
  if (with_charts) {
    for (Block& chart : charts(rows)) {
      section.blocks.push_back(std::move(chart));
    }
  }
  section.blocks.emplace_back(sessions(rows));
  return section;
}

Result<Report> build_report(const OpenSession& session, const Json& document) {
  AACO_ASSIGN(const TrainingStudyDocument study,
              read_training_study(document, (session.path / layout::kTraining).string()));
  const auto measured = std::count_if(study.cells.begin(), study.cells.end(),
                                      [](const StudyCell& cell) { return cell.outcome == StudyOutcome::kMeasured; });
  Report report{.title = fmt::format("Tiny LLaMA study on {}", session.info.facts.backend)};
  report.subtitle = fmt::format("Session {}, recorded {}; {} of {} combinations measured", session.info.session_id,
                                session.info.created_utc, measured, study.cells.size());
  report.badges.push_back(status_badge(session.status));
  if (std::vector<Block> remarks = status_remarks(session); !remarks.empty()) {
    report.sections.push_back({.id = "summary", .title = "Summary", .badges = {}, .blocks = std::move(remarks)});
  }
  report.sections.push_back(cells_section(study, true));
  add_last_sections(session, report);
  return report;
}

}  // namespace

Report build_training_study_summary(const TrainingStudyDocument& study) {
  Report report{.title = "Tiny LLaMA study"};
  report.sections.push_back(cells_section(study, false));
  return report;
}

Result<Report> training_study_report(const OpenSession& session) { return report_of_document(session, build_report); }

}  // namespace aaco::report
