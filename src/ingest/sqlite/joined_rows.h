// SPDX-License-Identifier: MIT
// The rows of a table with the columns that its joins add: what they are (JoinedTable), and reading them (JoinedRows),
// which several threads can do.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/sqlite/database/database.h"
#include "ingest/sqlite/database/keyed_rows.h"
#include "ingest/sqlite/database/table_scan.h"
#include "ingest/sqlite/sqlite_format.h"

namespace aaco {

// What is being read: a database, or the part of one whose tables have names with this ending.
struct SqliteReading {
  SqliteDatabase& database;
  std::string suffix;
  std::optional<std::string_view> null_text;
  EventTable& into;
  // Tables that joins refer to, read once: by table, key and the columns taken.
  std::map<std::string, std::unique_ptr<KeyedRows>> keyed;

  std::string table_of(std::string_view name) const { return std::string(name) + suffix; }
  bool has(std::string_view name) const { return database.has(table_of(name)); }
};

class JoinedTable {
 public:
  // The table exists. `kept`: columns that stay though a join has resolved them. `reading` and `source` outlive it.
  JoinedTable(SqliteReading& reading, const SqliteSource& source, std::span<const std::string_view> kept);

  const std::vector<std::string_view>& columns() const { return columns_; }
  std::optional<size_t> find(std::string_view column) const;
  size_t parts() const { return table_->parts(); }

 private:
  friend class JoinedRows;

  struct Bits {
    size_t from;
    size_t to;
    int shift;
    uint64_t mask;
  };
  struct Target {
    size_t column;  // of the row
    std::string_view prefix;
  };
  struct Join {
    size_t column;
    const KeyedRows* rows;  // null: the column itself
    std::vector<Target> targets;
    bool optional;
    bool kept;
    std::string_view table;
  };

  size_t column_for(std::string_view name);
  std::vector<size_t> all_of(std::span<const std::string_view> names) const;
  void add_bits(const SqliteBits& bits);
  void add_join(const SqliteJoin& join, std::span<const std::string_view> kept);
  const KeyedRows& keyed(const SqliteJoin& join, std::span<const std::string> columns);

  SqliteReading& reading_;
  std::vector<std::string> names_;  // of the table's own columns
  std::vector<std::string_view> columns_;
  std::vector<std::unique_ptr<std::string>> taken_names_;
  std::vector<Bits> bits_;
  std::vector<Join> joins_;
  std::vector<size_t> numbers_;
  std::vector<size_t> or_zero_;
  std::vector<size_t> quoted_;
  std::unique_ptr<SqliteTable> table_;
};

class JoinedRows {
 public:
  // Texts that it makes, and losses, go into `into`.
  JoinedRows(const JoinedTable& table, EventTable& into);

  SqliteScan& scan() { return scan_; }
  bool next();
  std::span<const Cell> cells() const { return cells_; }
  // Null from here on are the columns that a join has resolved.
  void drop_resolved();
  int64_t row() const { return scan_.row(); }

 private:
  void resolve(size_t number);
  bool is_null(const Cell& cell) const;
  void put(const JoinedTable::Target& target, Cell cell);

  const JoinedTable& table_;
  EventTable& into_;
  std::vector<Cell> cells_;
  std::vector<char> resolved_;  // of the joins
  SqliteScan scan_;
};

}  // namespace aaco
