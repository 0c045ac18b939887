// SPDX-License-Identifier: MIT
#include "kind/sharded/report/scaling_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

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

// Of the largest number of ranks that was measured: what its step is of one rank's, and what more ranks cost.
Headline headline_of(const WeakScaling& scaling) {
  const RankScaling* largest = nullptr;
  const RankScaling* alone = nullptr;
  size_t with_interval = 0;
  size_t measured = 0;
  for (const RankScaling& row : scaling.rows) {
    if (!row.predicted) {
      largest = &row;
      alone = row.ranks == 1 ? &row : alone;
      ++measured;
      with_interval += row.step_between_ns.low < row.step_between_ns.high ? 1 : 0;
    }
  }
  Headline headline{.figure = "Nothing was measured"};
  if (largest != nullptr && largest->step_ns) {
    headline.figure = fmt::format(
        "{}: step {}, efficiency {}", counted(largest->ranks, "rank", "ranks"), line_of(step_cell(*largest)),
        largest->efficiency ? between({100 * largest->efficiency->low, 100 * largest->efficiency->high}, "%")
                            : "unknown");
    if (alone == nullptr) {
      headline.findings.push_back(
          "to know the efficiency: measure the same on one rank (aaco overlap run on one device)");
    } else if (alone->step_ns && alone != largest) {
      const double lost_ns = std::max(0.0, *largest->step_ns - *alone->step_ns);
      headline.budget.parts = {{"as on one rank", *largest->step_ns - lost_ns, 0}, {"lost to more ranks", lost_ns, 1}};
    }
    if (largest->transfer_ns > 0) {
      headline.findings.push_back(fmt::format("transfers take {} of a step: to hide them could save up to that much",
                                              format_duration_ns(largest->transfer_ns)));
    }
  }
  std::vector<std::pair<std::string, Tone>> doubts;
  if (with_interval < measured) {
    doubts.emplace_back("no intervals: fewer than 3 sessions measured each number of ranks", Tone::kWarning);
  }
  if (measured < scaling.rows.size()) {
    doubts.emplace_back(
        fmt::format("{} predicted, not measured", counted(scaling.rows.size() - measured, "row is", "rows are")),
        Tone::kNeutral);
  }
  set_quality(doubts, headline);
  return headline;
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
  Report report{.title = "Weak scaling of a sharded training", .headline = headline_of(scaling)};
  report.sections.push_back(std::move(section));
  return report;
}

}  // namespace aaco::report
