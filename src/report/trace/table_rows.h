// SPDX-License-Identifier: MIT
// Rows of a typed table (record/table.h), as a report picks and shows them. Columns are named as the table names them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json/json_fwd.h"
#include "record/table.h"
#include "report/report_model.h"

namespace aaco::report {

// A row; its table has to outlive it. Columns that are asked for by name have to be there.
class TableRow {
 public:
  TableRow(const Table& table, size_t index) : table_(&table), index_(index) {}

  const Table& table() const { return *table_; }
  size_t index() const { return index_; }
  const TableColumn& column(std::string_view name) const;
  bool has(std::string_view name) const;         // no null
  int64_t integer(std::string_view name) const;  // where it has one
  double real(std::string_view name) const;
  std::string text(std::string_view name) const;
  Cell cell(std::string_view name, const std::string& missing) const;

 private:
  const Table* table_;
  size_t index_;
};

// Rows that lie behind each other.
class TableRows {
 public:
  explicit TableRows(const Table& table) : TableRows(table, 0, table.row_count) {}

  const Table& table() const { return *table_; }
  bool empty() const { return count_ == 0; }
  size_t size() const { return count_; }
  TableRow operator[](size_t at) const { return {*table_, first_ + at}; }
  TableRows part(size_t first, size_t count) const { return {*table_, first_ + first, count}; }

 private:
  TableRows(const Table& table, size_t first, size_t count) : table_(&table), first_(first), count_(count) {}

  const Table* table_;
  size_t first_;
  size_t count_;
};

// Where the rows of each device, rank or path of a table begin: by what its first columns hold, kNoId for a null. A
// trace can have ten thousand devices, so that a search of the rows for each would not end. The table has to outlive
// it.
class RowsByIds {
 public:
  RowsByIds(const Table& table, size_t id_columns);
  TableRows find(const std::vector<int64_t>& ids) const;  // empty where no row has these

 private:
  TableRows rows_;
  std::map<std::vector<int64_t>, std::pair<size_t, size_t>> runs_;  // the first row, how many
};

// Columns as members of objects. `columns`: "count total_ns:sum_ns suspect?", where ":" gives the key of the member
// ("a.b": within the object "a") and "?" makes false or true of 0 and 1; empty: all.
struct RowMember {
  std::string_view key;  // of `columns`, or of the table
  const TableColumn* column = nullptr;
  bool flag = false;

  Json value(const TableRow& row) const;
};
std::vector<RowMember> row_members(const Table& table, std::string_view columns);
Json row_objects(const TableRows& rows, std::string_view columns);

// The member "count" within "before" of "before.count".
Json& member_of(Json& object, std::string_view key);

// A column that people see.
struct ShownColumn {
  std::string title;
  std::string column = {};  // of the table, or:
  std::function<Cell(const TableRow& row)> cell = {};
  size_t longest = 0;        // characters of its words; 0: all
  std::string missing = {};  // for a null
  bool share = false;        // of the whole
  bool kernels = false;      // names of kernels, made short
};

// What a column of integers adds up to: a row of the others ends the table, where there are any.
struct Whole {
  std::string column;
  int64_t total = 0;
};

// The first rows.
TableBlock shown_rows(std::span<const TableRow> rows, const std::vector<ShownColumn>& columns, size_t most);
TableBlock shown_rows(const TableRows& rows, const std::vector<ShownColumn>& columns, size_t most,
                      const std::optional<Whole>& whole = std::nullopt);

// Cells: a column of times as a share; an identifier as words.
std::function<Cell(const TableRow& row)> share_of(const char* column, int64_t whole);
std::function<Cell(const TableRow& row)> spaced_cell(const char* column);

// "7 other kernels", of the rows that are not shown; empty where all are.
std::string others_note(const TableRows& rows, size_t most, std::string_view other, std::string_view others);

}  // namespace aaco::report
