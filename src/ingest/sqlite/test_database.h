// SPDX-License-Identifier: MIT
// Small databases for tests: the bytes of what some SQL makes, and what the reader makes of them.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/sqlite/sqlite_trace.h"

namespace aaco {

inline std::string database_bytes(const std::string& sql) {
  sqlite3* connection = nullptr;
  sqlite3_open(":memory:", &connection);
  char* message = nullptr;
  EXPECT_EQ(sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK) << message;
  sqlite3_int64 count = 0;
  unsigned char* bytes = sqlite3_serialize(connection, "main", &count, 0);
  std::string text(reinterpret_cast<const char*>(bytes), static_cast<size_t>(count));
  sqlite3_free(bytes);
  sqlite3_close(connection);
  return text;
}

inline Result<EventTable> read_database(const std::string& bytes) {
  const auto source = bytes_of(bytes);
  EventTable table;
  table.recordings.push_back({"t.db", "sqlite"});
  AACO_TRY(read_sqlite_trace({"no/such/file", "t.db", *source, 0}, table));
  return table;
}

// Of a database that can be read.
inline EventTable read_sql(const std::string& sql) {
  auto table = read_database(database_bytes(sql));
  EXPECT_TRUE(table) << table.error().message;
  return table ? std::move(table).value() : EventTable();
}

// The numbers of the events of that name.
inline std::vector<size_t> events_named(const EventTable& table, std::string_view name) {
  std::vector<size_t> pages;
  for (size_t i = 0; i < table.size(); ++i) {
    if (table.strings[table.name[i]] == name) {
      pages.push_back(i);
    }
  }
  return pages;
}

// An argument as text; "" where there is none.
inline std::string argument_text(EventTable& table, size_t event, std::string_view key) {
  const auto argument = table.arguments.find(event, table.strings.intern(key));
  if (!argument) {
    return "";
  }
  return argument->type == ArgumentType::kText ? std::string(table.text_of(*argument))
                                               : std::to_string(static_cast<int64_t>(argument->bits));
}

}  // namespace aaco
