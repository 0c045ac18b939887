// SPDX-License-Identifier: MIT
// A statement of SQL, of ours and never of a file's.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "ingest/table/cell.h"

struct sqlite3;
struct sqlite3_stmt;

namespace aaco {

// Names in SQL are written with all quotes doubled: nothing in them ends the name.
std::string sql_name(std::string_view name);

class SqliteStatement {
 public:
  SqliteStatement(sqlite3* connection, std::string_view sql);

  // SQLite's code: SQLITE_ROW while there is one; SQLITE_ERROR where the statement could not be prepared. Throws
  // std::bad_alloc.
  int step();
  std::string text(int column) const;  // "" of null
  int64_t integer(int column) const;
  Cell cell(int column) const;  // a text is valid until the next step

 private:
  struct Finaliser {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Finaliser> statement_;
};

}  // namespace aaco
