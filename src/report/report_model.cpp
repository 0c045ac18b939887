// SPDX-License-Identifier: MIT
#include "report/report_model.h"

#include <fmt/format.h>

#include "base/format.h"
#include "report/values.h"

namespace aaco::report {

namespace {

double real_of(const Number& number) {
  return std::visit([](auto value) { return static_cast<double>(value); }, number.value);
}

std::string shown_number(const Number& number) {
  const int64_t* const whole = std::get_if<int64_t>(&number.value);
  const bool counted = whole != nullptr && (number.unit.empty() || number.unit == "1");
  const std::string text = counted                     ? format_count(*whole)
                           : number.unit == "fraction" ? format_percent(real_of(number), 2)
                                                       : format_in_unit(real_of(number), number.unit);
  return number.change && real_of(number) > 0 ? "+" + text : text;
}

void collect(const std::vector<Block>& blocks, std::vector<const plot::Chart*>& charts) {
  for (const Block& block : blocks) {
    if (const auto* chart = std::get_if<ChartBlock>(&block)) {
      charts.push_back(&chart->chart);
    } else if (const auto* folded = std::get_if<FoldedBlocks>(&block)) {
      collect(folded->blocks, charts);
    }
  }
}

}  // namespace

std::string shown_text(const Cell& cell) {
  if (cell.transition) {
    const auto side = [](const std::optional<Number>& number) { return number ? shown_number(*number) : "-"; };
    return side(cell.transition->before) + " -> " + side(cell.transition->after);
  }
  return cell.number ? shown_number(*cell.number) : cell.reason.empty() ? cell.text : cell.reason;
}

bool is_drawn(const Column& column) { return !column.title.empty() || column.key.empty(); }

std::string shown_detail(const Cell& cell) {
  return cell.detail.empty() && cell.number && cell.number->interval
             ? format_interval_beside(real_of(*cell.number), *cell.number->interval, cell.number->unit)
             : cell.detail;
}

std::string line_of(const Cell& cell) {
  const std::string detail = shown_detail(cell);
  return detail.empty() ? shown_text(cell) : shown_text(cell) + " " + detail;
}

std::optional<double> sort_key(const Cell& cell) {
  if (cell.order) {
    return cell.order;
  }
  if (cell.transition) {
    const auto& [before, after] = *cell.transition;
    return after ? std::optional(real_of(*after)) : before ? std::optional(real_of(*before)) : std::nullopt;
  }
  return cell.number ? std::optional(real_of(*cell.number)) : std::nullopt;
}

std::string definitions_footer(std::string_view version, std::string_view page) {
  return fmt::format("aaco {}. Definitions: docs/{}{} (in share/doc/aaco where aaco is installed).", version,
                     page.empty() ? "measuring.md" : "measuring/", page);
}

std::vector<const plot::Chart*> charts_of(const Report& report) {
  std::vector<const plot::Chart*> charts;
  for (const Section& section : report.sections) {
    collect(section.blocks, charts);
  }
  return charts;
}

}  // namespace aaco::report
