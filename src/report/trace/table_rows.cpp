// SPDX-License-Identifier: MIT
#include "report/trace/table_rows.h"

#include <algorithm>
#include <optional>

#include "base/format.h"
#include "base/json/json.h"
#include "record/events/event_table.h"
#include "report/trace/row_sinks.h"
#include "report/trace/values.h"
#include "report/values.h"

namespace aaco::report {

namespace {

bool is_null(const TableColumn& column, size_t row) { return !column.valid.empty() && column.valid[row] == 0; }

}  // namespace

const TableColumn& TableRow::column(std::string_view name) const { return *table_->find(name); }

bool TableRow::has(std::string_view name) const { return !is_null(column(name), index_); }

int64_t TableRow::integer(std::string_view name) const {
  return std::get<std::vector<int64_t>>(column(name).values)[index_];
}

double TableRow::real(std::string_view name) const {
  return std::get<std::vector<double>>(column(name).values)[index_];
}

std::string TableRow::text(std::string_view name) const {
  return std::get<std::vector<std::string>>(column(name).values)[index_];
}

Cell TableRow::cell(std::string_view name, const std::string& missing) const {
  const TableColumn& from = column(name);
  if (is_null(from, index_)) {
    return text_cell(missing);
  }
  if (from.info.type == ColumnType::kString) {
    return text_cell(text(name));
  }
  if (from.info.type == ColumnType::kInt64) {
    return {.number = Number{integer(name), from.info.unit}};
  }
  return number_cell(real(name), from.info.unit);
}

RowsByIds::RowsByIds(const Table& table, size_t id_columns) : rows_(table) {
  std::vector<int64_t> ids(id_columns);
  std::pair<size_t, size_t>* run = nullptr;
  for (size_t row = 0; row < table.row_count; ++row) {
    bool same = run != nullptr;
    for (size_t i = 0; i < id_columns; ++i) {
      const TableColumn& column = table.columns[i];
      const int64_t id = is_null(column, row) ? kNoId : std::get<std::vector<int64_t>>(column.values)[row];
      same = same && ids[i] == id;
      ids[i] = id;
    }
    if (!same) {
      run = &runs_.try_emplace(ids, row, size_t{0}).first->second;
    }
    run->second += run->first + run->second == row ? 1 : 0;
  }
}

TableRows RowsByIds::find(const std::vector<int64_t>& ids) const {
  const auto run = runs_.find(ids);
  return run == runs_.end() ? rows_.part(0, 0) : rows_.part(run->second.first, run->second.second);
}

Json& member_of(Json& object, std::string_view key) {
  const size_t dot = key.find('.');
  Json& member = object[std::string(key.substr(0, dot))];
  return dot == std::string_view::npos ? member : member_of(member, key.substr(dot + 1));
}

Json RowMember::value(const TableRow& row) const {
  if (is_null(*column, row.index())) {
    return {};
  }
  return std::visit(
      [&](const auto& values) {
        Json value(values[row.index()]);
        if (flag) {
          value = value != 0;
        }
        return value;
      },
      column->values);
}

std::vector<RowMember> row_members(const Table& table, std::string_view columns) {
  std::vector<RowMember> members;
  if (columns.empty()) {
    for (const TableColumn& column : table.columns) {
      members.push_back({column.info.name, &column});
    }
  }
  while (!columns.empty()) {
    std::string_view word = columns.substr(0, columns.find(' '));
    columns.remove_prefix(std::min(columns.size(), word.size() + 1));
    const bool flag = word.ends_with('?');
    word.remove_suffix(flag ? 1 : 0);
    const size_t colon = word.find(':');
    const std::string_view name = word.substr(0, colon);
    members.push_back({colon == std::string_view::npos ? name : word.substr(colon + 1), table.find(name), flag});
  }
  return members;
}

Json row_objects(const TableRows& rows, std::string_view columns) {
  const std::vector<RowMember> members = row_members(rows.table(), columns);
  Json list = Json::array();
  for (size_t i = 0; i < rows.size(); ++i) {
    Json object = Json::object();
    for (const RowMember& member : members) {
      member_of(object, member.key) = member.value(rows[i]);
    }
    list.push_back(std::move(object));
  }
  return list;
}

namespace {

TableBlock with_columns(const std::vector<ShownColumn>& columns) {
  TableBlock table;
  for (const ShownColumn& column : columns) {
    table.columns.push_back({.title = column.title, .longest = column.longest, .kernels = column.kernels});
  }
  return table;
}

std::vector<Cell> cells_of(const TableRow& row, const std::vector<ShownColumn>& columns, int64_t total) {
  std::vector<Cell> cells;
  for (const ShownColumn& column : columns) {
    cells.push_back(column.cell    ? column.cell(row)
                    : column.share ? share_cell(row.integer(column.column), total)
                                   : row.cell(column.column, column.missing));
  }
  return cells;
}

}  // namespace

TableBlock shown_rows(std::span<const TableRow> rows, const std::vector<ShownColumn>& columns, size_t most) {
  TableBlock table = with_columns(columns);
  for (size_t i = 0; i < std::min(most, rows.size()); ++i) {
    table.rows.push_back(cells_of(rows[i], columns, 0));
  }
  return table;
}

TableBlock shown_rows(const TableRows& rows, const std::vector<ShownColumn>& columns, size_t most,
                      const std::optional<Whole>& whole) {
  TableBlock table = with_columns(columns);
  const size_t count = std::min(most, rows.size());
  int64_t left = whole ? whole->total : 0;
  for (size_t i = 0; i < count; ++i) {
    left -= whole ? rows[i].integer(whole->column) : 0;
    table.rows.push_back(cells_of(rows[i], columns, whole ? whole->total : 0));
  }
  if (whole && count < rows.size()) {
    std::vector<Cell>& cells = table.rows.emplace_back();
    for (const ShownColumn& column : columns) {
      cells.push_back(column.share                     ? share_cell(left, whole->total)
                      : column.column == whole->column ? time_cell(left)
                                                       : Cell());
    }
    cells[0] = text_cell(counted(rows.size() - count, "other", "others"));
  }
  return table;
}

std::function<Cell(const TableRow& row)> share_of(const char* column, int64_t whole) {
  return [=](const TableRow& row) { return share_cell(row.integer(column), whole); };
}

std::function<Cell(const TableRow& row)> spaced_cell(const char* column) {
  return [=](const TableRow& row) { return text_cell(people_words(row.text(column))); };
}

std::string others_note(const TableRows& rows, size_t most, std::string_view other, std::string_view others) {
  return most < rows.size() ? counted(rows.size() - most, other, others) : "";
}

}  // namespace aaco::report
