// SPDX-License-Identifier: MIT
// A SQLite database that somebody else wrote, maybe with ill intent: opened for reading only. Views, triggers, virtual
// tables and computed columns of its schema are never evaluated. Its rows: table_scan.h.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ingest/sqlite/database/leaf_rows.h"
#include "ingest/sqlite/database/page_file.h"
#include "ingest/trace_format.h"
#include "record/events/loss_table.h"

struct sqlite3;

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
  struct Column {
    std::string name;
    std::string type;  // as declared
    bool is_stored;    // else hidden, or computed
    bool is_id;        // the row's id by another name
  };
  std::vector<Column> described(std::string_view table) const;        // in the order of their definition
  std::vector<std::string> columns_of(std::string_view table) const;  // those that are stored
  bool has_rows(std::string_view table) const;

 private:
  friend class SqliteTable;
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
  std::map<std::string, int64_t, std::less<>> roots_;  // their first pages
  std::optional<PageFile> pages_;                      // none: only SQLite reads it
  ReadBudget budget_;                                  // of all scans
  std::mutex mutex_;                                   // of the connection, while several threads read
};

}  // namespace aaco
