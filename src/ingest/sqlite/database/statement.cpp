// SPDX-License-Identifier: MIT
#include "ingest/sqlite/database/statement.h"

#include <new>
#include <sqlite3.h>

namespace aaco {

std::string sql_name(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) {
    text += c == '"' ? "\"\"" : std::string(1, c);
  }
  return text + '"';
}

void SqliteStatement::Finaliser::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

SqliteStatement::SqliteStatement(sqlite3* connection, std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(connection, sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  statement_.reset(statement);
}

int SqliteStatement::step() {
  const int code = statement_ ? sqlite3_step(statement_.get()) : SQLITE_ERROR;
  if (code == SQLITE_NOMEM) {
    throw std::bad_alloc();
  }
  return code;
}

std::string SqliteStatement::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  return bytes == nullptr ? std::string() : std::string(bytes);
}

int64_t SqliteStatement::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }

Cell SqliteStatement::cell(int column) const {
  Cell cell;
  sqlite3_stmt* const statement = statement_.get();
  switch (const int type = sqlite3_column_type(statement, column); type) {
    case SQLITE_INTEGER:
      cell.type = Cell::Type::kInteger;
      cell.integer = sqlite3_column_int64(statement, column);
      break;
    case SQLITE_FLOAT:
      cell.type = Cell::Type::kReal;
      cell.real = sqlite3_column_double(statement, column);
      break;
    case SQLITE_TEXT:
    case SQLITE_BLOB: {
      const void* const bytes_of_it = type == SQLITE_TEXT ? sqlite3_column_text(statement, column)  // as UTF-8
                                                          : sqlite3_column_blob(statement, column);
      const auto* bytes = static_cast<const char*>(bytes_of_it);
      cell.type = Cell::Type::kText;
      cell.text = bytes == nullptr
                      ? std::string_view()
                      : std::string_view(bytes, static_cast<size_t>(sqlite3_column_bytes(statement, column)));
      break;
    }
    default:
      break;
  }
  return cell;
}

}  // namespace aaco
