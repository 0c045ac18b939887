// SPDX-License-Identifier: MIT
// A SQLite database that somebody else wrote, maybe with ill intent: opened for reading only, and read table by table,
// in the order of the rows. Views, triggers, virtual tables and computed columns of its schema are never evaluated.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ingest/table/cell.h"
#include "ingest/trace_format.h"
#include "trace/loss_table.h"

struct sqlite3;
struct sqlite3_stmt;

namespace aaco {

bool is_sqlite(std::string_view head);

class SqliteDatabase {
 public:
  // The file itself where it is a plain database, else what `input.bytes` yields (of gzip), kept in a temporary file
  // without a name. What cannot be read of it is a loss. Errors: kUsage where it is no database or its schema is
  // damaged, kResource where there is no room for the temporary file.
  static Result<std::unique_ptr<SqliteDatabase>> open(const TraceInput& input, LossTable& losses);
  ~SqliteDatabase();
  SqliteDatabase(const SqliteDatabase&) = delete;
  SqliteDatabase& operator=(const SqliteDatabase&) = delete;

  const std::string& name() const { return name_; }
  const std::vector<std::string>& tables() const { return tables_; }  // base tables only, in the order of their names
  bool has(std::string_view table) const;
  std::vector<std::string> columns_of(std::string_view table) const;  // those that are stored
  bool has_rows(std::string_view table) const;

 private:
  friend class SqliteScan;
  struct Closer {
    void operator()(sqlite3* connection) const;
  };

  SqliteDatabase(std::string name, int file);
  Result<void> connect(LossTable& losses);
  int list_tables();  // SQLite's code

  std::string name_;
  int file_;
  uint64_t bytes_ = 0;
  std::unique_ptr<sqlite3, Closer> connection_;
  std::vector<std::string> tables_;
  // Over all scans. A row takes at least 4 bytes and is read a few times; a damaged tree can repeat its pages at will.
  uint64_t rows_left_ = 0;
};

// The rows of one table, in the order of their ids.
class SqliteScan {
 public:
  // `columns`: of the table. Damage ends the scan and is a loss.
  SqliteScan(SqliteDatabase& database, std::string_view table, std::span<const std::string> columns, LossTable& losses);

  // One cell for each column; texts are valid until the next call. False at the end.
  bool next(std::span<Cell> cells);
  int64_t row() const { return row_; }

 private:
  struct Finaliser {
    void operator()(sqlite3_stmt* statement) const;
  };

  void stop(std::string_view why);

  SqliteDatabase& database_;
  std::string table_;
  size_t columns_;
  LossTable& losses_;
  std::unique_ptr<sqlite3_stmt, Finaliser> statement_;  // null at the end
  int64_t row_ = 0;
  bool began_ = false;
};

}  // namespace aaco
