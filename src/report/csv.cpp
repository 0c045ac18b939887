// SPDX-License-Identifier: MIT
#include <algorithm>
#include <fmt/format.h>

#include "base/json/json_text.h"
#include "report/sinks.h"
#include "report/table/csv_cell.h"

namespace aaco::report {

namespace {

// As JSON writes it: the shortest that reads back as the same number.
std::string number_text(const std::variant<int64_t, double>& value) {
  return std::visit([](auto number) { return json_number_text(number); }, value);
}

std::string line_of(const std::vector<std::string>& fields) {
  std::string line;
  for (size_t i = 0; i < fields.size(); ++i) {
    line += (i == 0 ? "" : ",") + (fields[i].empty() ? "" : csv_cell(fields[i]));
  }
  return line + "\n";
}

// Where columns have keys, those without are for people alone, and say the same in another way.
bool is_data(const TableBlock& table, const Column& column) {
  return !column.key.empty() ||
         std::all_of(table.columns.begin(), table.columns.end(), [](const Column& other) { return other.key.empty(); });
}

void add(const std::string& section, const TableBlock& table, std::string& text) {
  for (size_t i = 0; i < table.rows.size(); ++i) {
    for (size_t c = 0; c < std::min(table.columns.size(), table.rows[i].size()); ++c) {
      const Cell& cell = table.rows[i][c];
      const Column& column = table.columns[c];
      if (!is_data(table, column)) {
        continue;
      }
      const std::string& name = column.title.empty() ? column.key : column.title;
      std::vector<std::string> fields{section, table.id, std::to_string(i), name, "", "", "", "", ""};
      if (cell.number) {
        fields[4] = number_text(cell.number->value);
        fields[5] = cell.number->unit;
        fields[6] = cell.number->interval ? number_text(cell.number->interval->low) : "";
        fields[7] = cell.number->interval ? number_text(cell.number->interval->high) : "";
      } else {
        fields[4] = cell.whole.empty() ? cell.text : cell.whole;
      }
      fields[8] = cell.reason;
      text += line_of(fields);
    }
  }
}

void add(const std::string& section, const std::vector<Block>& blocks, std::string& text) {
  for (const Block& block : blocks) {
    if (const auto* table = std::get_if<TableBlock>(&block)) {
      add(section, *table, text);
    } else if (const auto* folded = std::get_if<FoldedBlocks>(&block)) {
      add(section, folded->blocks, text);
    }
  }
}

}  // namespace

std::string render_csv(const Report& report) {
  std::string text = "section,table,row,column,value,unit,low,high,no_data\n";
  for (const Section& section : report.sections) {
    add(section.id, section.blocks, text);
  }
  return text;
}

}  // namespace aaco::report
