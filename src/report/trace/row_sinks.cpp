// SPDX-License-Identifier: MIT
#include "report/trace/row_sinks.h"

#include <algorithm>
#include <utility>

#include "base/format.h"
#include "base/json.h"
#include "base/text/characters.h"
#include "report/trace/values.h"
#include "report/values.h"

namespace aaco::report {

namespace {

constexpr const char* kFraction = "fraction";

Json value_of(const Cell& cell) {
  if (cell.number) {
    return std::visit([](auto value) { return Json(value); }, cell.number->value);
  }
  return cell.reason.empty() ? Json(cell.text) : Json();
}

std::string text_of(const Cell& cell, size_t longest) {
  if (!cell.number) {
    const std::string text = shown_text(cell);
    return longest == 0 ? text : shorten(text, longest);
  }
  const Number& number = *cell.number;
  if (const auto* count = std::get_if<int64_t>(&number.value)) {
    return number.unit == "ns" ? duration_text(*count) : std::to_string(*count);  // without separators, for scripts
  }
  return number.unit == kFraction ? format_percent(std::get<double>(number.value), 2) : shown_text(cell);
}

}  // namespace

Json rows_json(const TableBlock& table) {
  Json list = Json::array();
  for (const std::vector<Cell>& row : table.rows) {
    Json object = Json::object();
    for (size_t c = 0; c < table.columns.size(); ++c) {
      if (!table.columns[c].key.empty()) {
        object[table.columns[c].key] = value_of(row[c]);
      }
    }
    list.push_back(std::move(object));
  }
  return list;
}

std::string rows_text(const TableBlock& table) {
  std::vector<std::vector<std::string>> lines(1);
  for (const Column& column : table.columns) {
    if (!column.title.empty()) {
      lines[0].push_back(column.title);
    }
  }
  const auto add = [&](const std::vector<Cell>& row) {
    std::vector<std::string>& line = lines.emplace_back();
    for (size_t c = 0; c < table.columns.size(); ++c) {
      if (!table.columns[c].title.empty()) {
        line.push_back(text_of(row[c], table.columns[c].longest));
      }
    }
  };
  const size_t shown = std::min(table.most, table.rows.size());
  std::for_each(table.rows.begin(), table.rows.begin() + static_cast<std::ptrdiff_t>(shown), add);
  if (shown < table.rows.size() && !table.others.empty()) {
    add(table.others);
  }
  return format_table(std::move(lines));
}

Cell share_cell(int64_t part, int64_t whole) {
  const auto share = ratio(part, whole);
  return share ? Cell{.number = Number{*share, kFraction}} : missing_cell("no data");
}

Cell time_cell(int64_t ns) { return {.number = Number{ns, "ns"}}; }

Cell amount_cell(uint64_t count) { return count_cell(static_cast<int64_t>(count)); }

}  // namespace aaco::report
