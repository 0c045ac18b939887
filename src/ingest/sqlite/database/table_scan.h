// SPDX-License-Identifier: MIT
// The rows of a table of a database, in the order of their ids. A usual table's pages are read directly, which takes a
// fifth of the time and can be done in parts, by several threads; SQLite reads what is not usual: tables without row
// ids, computed columns, texts that are no UTF-8.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/sqlite/database/database.h"
#include "ingest/sqlite/database/leaf_rows.h"
#include "ingest/sqlite/database/record.h"
#include "ingest/sqlite/database/statement.h"
#include "ingest/table/cell.h"
#include "record/events/loss_table.h"

namespace aaco {

// Where the rows of a table lie, and some of its columns in them.
class SqliteTable {
 public:
  // The database outlives it.
  SqliteTable(SqliteDatabase& database, std::string_view name, std::span<const std::string> columns);

  const std::string& name() const { return name_; }
  size_t parts() const;  // that can be read at the same time; at least 1

 private:
  friend class SqliteScan;

  // What a column holds in rows that are older than it is.
  struct LateColumn {
    bool is_known = false;
    Cell value;
    std::string text;
  };

  bool has_ids() const;  // to ask SQL for
  void find_pages();
  std::optional<RecordReader> find_columns() const;
  Cell late_value(size_t column, int64_t row);

  SqliteDatabase& database_;
  std::string name_;
  std::vector<std::string> columns_;
  std::string_view id_name_;  // by which SQL knows the row's id; empty where it has none, or columns have all its names
  std::optional<LeafPages> leaves_;  // none: SQLite reads the table
  std::optional<RecordReader> reader_;
  size_t part_leaves_ = 1;
  std::vector<LateColumn> late_;  // of the columns
};

class SqliteScan {
 public:
  // Of all rows. Damage ends it and is a loss.
  SqliteScan(SqliteTable& table, LossTable& losses);
  void start(size_t part);  // of the rows of that part only

  // One cell for each column; texts are valid until the next call. False at the end.
  bool next(std::span<Cell> cells);
  int64_t row() const { return row_; }
  bool damaged() const { return damaged_; }
  // Whether its rows come behind `last`, which then is its last one; else that is damage, and its rows are others' too.
  bool follows(std::optional<int64_t>& last);

 private:
  static constexpr std::string_view kDisorder = "its pages are in disorder";

  bool next_of_pages(std::span<Cell> cells);
  bool next_of_sqlite(std::span<Cell> cells);
  bool is_in_order(int64_t row);
  void stop(std::string_view why);

  SqliteTable& table_;
  LossTable& losses_;
  std::optional<LeafRows> rows_;              // of pages
  std::optional<SqliteStatement> statement_;  // of SQLite; neither at the end
  bool is_last_part_ = true;
  std::optional<int64_t> first_row_;
  int64_t row_ = 0;
  bool damaged_ = false;
};

}  // namespace aaco
