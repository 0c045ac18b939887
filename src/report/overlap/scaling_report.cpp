// SPDX-License-Identifier: MIT
#include "report/overlap/scaling_report.h"

#include <fmt/format.h>

#include "base/format.h"
#include "report/values.h"

namespace aaco::report {

namespace {

std::string between(const Interval& interval, std::string_view unit) {
  const std::string low = format_in_unit(interval.low, unit);
  const std::string high = format_in_unit(interval.high, unit);
  return low == high ? low : fmt::format("{} to {}", low, high);
}

Cell step_cell(const RankScaling& row) {
  if (!row.step_ns) {
    return text_cell(between(row.step_between_ns, "ns"));
  }
  const bool has_interval = row.step_between_ns.low < row.step_between_ns.high;
  return interval_cell(*row.step_ns, has_interval ? std::optional(row.step_between_ns) : std::nullopt, "ns");
}

std::vector<Cell> row_cells(const RankScaling& row) {
  return {count_cell(row.ranks),
          text_cell(row.predicted ? "predicted" : "measured", row.predicted ? Tone::kWarning : Tone::kNeutral),
          step_cell(row),
          row.transfer_ns > 0 ? duration_cell(row.transfer_ns) : missing_cell("none"),
          row.efficiency ? text_cell(between({100 * row.efficiency->low, 100 * row.efficiency->high}, "%"))
                         : missing_cell("one rank was not measured"),
          row.tokens_per_s ? text_cell(between(*row.tokens_per_s, "tokens/s")) : missing_cell("no data")};
}

}  // namespace

Report build_scaling_report(const WeakScaling& scaling) {
  Section section{"scaling", "Weak scaling"};
  TableBlock table{
      .id = "scaling",
      .columns = {{"ranks", true},
                  {"how known"},
                  {"step", true},
                  {"transfers of a step", true},
                  {"efficiency", true},
                  {"tokens/s at the median step, all ranks", true}},
      .rows = {},
      .note = scaling.assumption.empty() ? "Nothing is predicted: " + scaling.not_predicted + "." : scaling.assumption};
  for (const RankScaling& row : scaling.rows) {
    table.rows.push_back(row_cells(row));
  }
  section.blocks.emplace_back(std::move(table));
  Bullets sessions{.title = "Sessions", .items = {}};
  for (const RankScaling& row : scaling.rows) {
    for (const std::string& session : row.sessions) {
      if (!row.predicted) {
        sessions.items.push_back(fmt::format("{}: {}", counted(row.ranks, "rank", "ranks"), session));
      }
    }
  }
  section.blocks.emplace_back(std::move(sessions));
  Report report{.title = "Weak scaling of a sharded training"};
  report.sections.push_back(std::move(section));
  return report;
}

}  // namespace aaco::report
