// SPDX-License-Identifier: MIT
#include "report/trace_page/table_block.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>

#include "report/names/kernel_names.h"
#include "report/trace/row_sinks.h"
#include "report/trace/values.h"
#include "report/values.h"

namespace aaco::report {

namespace {

// A column by whose share of the longest a row gets a bar; of a table the first.
constexpr std::array<std::string_view, 4> kBars = {"total_ns", "self_ns", "samples", "device_ns"};
// Ids of where a row belongs, which need not be said of a trace that has one of them.
constexpr std::array<std::string_view, 5> kPlaces = {"recording", "rank", "device", "path", "device_type"};

// Ids of an analysis, which people read as words.
constexpr std::array<std::string_view, 8> kIds = {"cause",   "kind",  "class", "state",
                                                  "pattern", "basis", "late",  "matched_by"};
// Whose names are of kernels, or of what stands among them.
constexpr std::array<std::string_view, 6> kKernelTables = {"kernel_statistics", "idle_holders",
                                                           "kernel_counters",   "critical_path_items",
                                                           "sampled_kernels",   "collective_kernels"};

bool holds(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_null(const TableColumn& column, size_t row) { return !column.valid.empty() && column.valid[row] == 0; }

bool same_in_all_rows(const TableColumn& column, size_t rows) {
  return std::visit(
      [&](const auto& values) {
        for (size_t i = 1; i < rows; ++i) {
          if (is_null(column, i) != is_null(column, 0) || values[i] != values[0]) {
            return false;
          }
        }
        return true;
      },
      column.values);
}

bool tells(const TableColumn& column, size_t rows) {
  bool any = false;
  for (size_t i = 0; i < rows && !any; ++i) {
    any = !is_null(column, i);
  }
  return any && !(holds(kPlaces, column.info.name) && same_in_all_rows(column, rows));
}

Cell cell_of(const TableColumn& column, size_t row) {
  const bool words = column.info.type == ColumnType::kString;
  if (is_null(column, row)) {
    return words ? Cell() : missing_cell("no data");
  }
  if (words && holds(kIds, column.info.name)) {
    const std::string& id = std::get<std::vector<std::string>>(column.values)[row];
    const std::string text = people_words(id);
    return {.text = text, .whole = text == id ? "" : id};
  }
  if (words) {
    return name_cell(std::get<std::vector<std::string>>(column.values)[row]);
  }
  if (const auto* counts = std::get_if<std::vector<int64_t>>(&column.values)) {
    return {.number = Number{(*counts)[row], column.info.unit}};
  }
  const bool share = column.info.unit == "1" && (column.info.name == "share" || column.info.name.ends_with("_share"));
  return {.number = Number{std::get<std::vector<double>>(column.values)[row], share ? "fraction" : column.info.unit}};
}

bool is_zero_throughout(const TableColumn& column) {
  const auto zero = [](const auto& values) {
    return std::ranges::all_of(values, [](auto value) { return value == 0; });
  };
  const auto* const counts = std::get_if<std::vector<int64_t>>(&column.values);
  const auto* const reals = std::get_if<std::vector<double>>(&column.values);
  return counts != nullptr ? zero(*counts) : reals != nullptr && zero(*reals);
}

std::vector<const TableColumn*> columns_of(const Table& table, const TableView& view) {
  std::vector<const TableColumn*> columns;
  for (const char* const name : view.columns) {
    columns.push_back(table.find(name));
  }
  for (size_t i = 0; view.columns.empty() && i < table.columns.size(); ++i) {
    columns.push_back(&table.columns[i]);
  }
  std::erase_if(columns, [&](const TableColumn* column) {
    return column == nullptr || !tells(*column, table.row_count) || (!view.zeros && is_zero_throughout(*column));
  });
  return columns;
}

// "total_ns": "total".
std::string title_of_column(const ColumnInfo& column) {
  std::string_view name = column.name;
  for (const std::string_view unit : {"_gb_s", "_bytes", "_ns"}) {
    if (name.ends_with(unit)) {
      name.remove_suffix(unit.size());
      break;
    }
  }
  return spaced(name);
}

// Of the longest in the column.
void add_bars(TableBlock& block, size_t column) {
  double longest = 0;
  for (const std::vector<Cell>& row : block.rows) {
    longest = std::max(longest, sort_key(row[column]).value_or(0));
  }
  for (std::vector<Cell>& row : block.rows) {
    if (longest > 0 && row[column].number) {
      row[column].bar = sort_key(row[column]).value_or(0) / longest;
    }
  }
}

}  // namespace

TableBlock table_block(const Table& table, const TableView& view) {
  TableBlock block{.id = table.name, .sortable = true};
  const std::vector<const TableColumn*> columns = columns_of(table, view);
  const size_t rows = columns.empty() ? 0 : std::min(view.most, table.row_count);
  block.rows.resize(rows);
  size_t bars = columns.size();
  for (size_t c = 0; c < columns.size(); ++c) {
    const ColumnInfo& info = columns[c]->info;
    block.columns.push_back({.title = title_of_column(info),
                             .numeric = info.type != ColumnType::kString,
                             .kernels = info.name == "name" && holds(kKernelTables, table.name)});
    bars = bars == columns.size() && holds(kBars, info.name) ? c : bars;
    for (size_t row = 0; row < rows; ++row) {
      block.rows[row].push_back(cell_of(*columns[c], row));
    }
  }
  shorten_kernels(block);
  if (bars < columns.size()) {
    add_bars(block, bars);
  }
  if (rows < table.row_count && rows > 0) {
    block.note = fmt::format("The first {} of {} rows.", rows, table.row_count);
  }
  return block;
}

}  // namespace aaco::report
