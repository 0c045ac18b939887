// SPDX-License-Identifier: MIT
#include "report/trace/row_sinks.h"

#include <fmt/format.h>
#include <utility>

#include "base/format.h"
#include "base/text/characters.h"
#include "report/trace/values.h"
#include "report/values.h"

namespace aaco::report {

namespace {

constexpr const char* kFraction = "fraction";

std::string text_in(double value, const std::string& unit) {
  return unit == kFraction ? format_percent(value, 2)
         : unit == "GB/s"  ? format_si(value * 1e9, "B/s")
                           : format_in_unit(value, unit);
}

std::string text_of(const Cell& cell, size_t longest) {
  if (cell.transition) {
    const auto side = [](const std::optional<Number>& number) { return number ? number_text(*number) : "-"; };
    return side(cell.transition->before) + " -> " + side(cell.transition->after);
  }
  if (cell.number) {
    return number_text(*cell.number);
  }
  const std::string text = shown_text(cell);
  return longest == 0 ? text : shorten(text, longest);
}

}  // namespace

std::string number_text(const Number& number) {
  const auto* const count = std::get_if<int64_t>(&number.value);
  const double value = std::visit([](auto given) { return static_cast<double>(given); }, number.value);
  std::string text = number.change && value > 0 ? "+" : "";
  const bool counted = number.unit.empty() || number.unit == "1";
  text += count != nullptr && counted ? std::to_string(*count)  // without separators, for scripts
                                      : text_in(value, number.unit);
  return number.interval ? fmt::format("{} [{}, {}]", text, text_in(number.interval->low, number.unit),
                                       text_in(number.interval->high, number.unit))
                         : text;
}

std::string rows_text(const TableBlock& table) {
  std::vector<std::vector<std::string>> lines(1);
  for (const Column& column : table.columns) {
    if (is_drawn(column)) {
      lines[0].push_back(column.title);
    }
  }
  for (const std::vector<Cell>& row : table.rows) {
    std::vector<std::string>& line = lines.emplace_back();
    for (size_t c = 0; c < table.columns.size(); ++c) {
      if (is_drawn(table.columns[c])) {
        line.push_back(text_of(row[c], table.columns[c].longest));
      }
    }
  }
  return format_table(std::move(lines));
}

Cell share_cell(int64_t part, int64_t whole) {
  const auto share = ratio(part, whole);
  return share ? Cell{.number = Number{*share, kFraction}} : missing_cell("no data");
}

Cell time_cell(int64_t ns) { return {.number = Number{ns, "ns"}}; }

Cell time_change_cell(int64_t ns) { return {.number = Number{.value = ns, .unit = "ns", .change = true}}; }

Cell amount_cell(uint64_t count) { return count_cell(static_cast<int64_t>(count)); }

Cell name_cell(const std::string& name) {
  const bool cut = length_of(name) > kLongestName;
  return {.text = cut ? shorten(name, kLongestName) : name, .whole = cut ? name : ""};
}

}  // namespace aaco::report
