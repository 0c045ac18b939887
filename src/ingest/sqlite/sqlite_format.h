// SPDX-License-Identifier: MIT
// What the tables of a profiler's database are, as data: a kind of database is a list of these, and a line in
// all_sqlite_formats.cpp. Columns and tables that a version of the format lacks are left out.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "ingest/table/table_kind.h"
#include "record/events/loss_table.h"

namespace aaco {

// NOLINTBEGIN(readability-redundant-member-init): GCC warns of members that a list leaves out, but for these.

// A column from elsewhere. Where the row has a column of the name `as` already, it fills that one where it is null, or
// replaces it where it is the one that was looked up.
struct SqliteTake {
  std::string_view column;
  std::string_view as;
  std::string_view prefix = {};  // of its texts
};

// Some bits of an integer column as a column of their own.
struct SqliteBits {
  std::string_view column;
  std::string_view as;
  int shift = 0;
  int bits = 0;
};

// Columns of the row of another table whose `key` is the row's `column`, which may itself come from a join before this
// one. Once resolved, `column` is no argument, unless it has a role. Without a table, the column's own value is taken.
struct SqliteJoin {
  std::string_view column;
  std::string_view table;
  std::string_view key;
  std::span<const SqliteTake> takes;  // empty: all columns but the key and those named "id"
  bool optional = false;              // that there is no such row, or no such table, is usual
  std::string_view unless = {};       // not where this table exists
  // Texts of 0, 1, 2...: what the only one of `takes` is where the database lacks the table.
  std::span<const std::string_view> labels = {};
};

// Rows of a table with what belongs to each.
struct SqliteSource {
  std::string_view table;
  std::span<const SqliteBits> bits = {};
  std::span<const SqliteJoin> joins = {};
  std::span<const std::string_view> ignored = {};  // columns that say nothing of the event
  std::span<const std::string_view> numbers = {};  // columns whose texts are numbers
  std::span<const std::string_view> or_zero = {};  // columns in which 0 stands for none
  std::span<const std::string_view> quoted = {};   // columns whose texts may have quotation marks around them
};

// Whether a row is of some kind.
struct SqliteTest {
  std::string_view column;
  std::span<const int64_t> values = {};  // one of them
  std::string_view text = {};            // or this text; without either: null
};

struct SqliteRowKind {
  TableKind kind;  // `needs`: columns without which the table is not read
  std::span<const SqliteTest> tests = {};
  std::optional<Loss> loss = {};  // that such a row is
};

// Values of which an event can have many, each a row of its own.
struct SqliteValues {
  SqliteSource source;
  std::string_view owner;                   // names the event
  std::span<const std::string_view> names;  // columns that together name the value
  std::string_view value;
};

struct SqliteEvents {
  SqliteSource source;
  std::span<const SqliteRowKind> kinds;              // the first whose tests hold; a row of none is a loss
  std::string_view key = {};                         // joins `values`
  std::span<const SqliteValues* const> values = {};  // of several tables
};

// Names of processes and threads.
struct SqliteNames {
  SqliteSource source;
  std::string_view process;
  std::string_view thread = {};  // empty: names the process
  std::string_view name;
};

struct SqliteFormat {
  const char* id;                                   // "nsys"
  const char* what;                                 // one line
  std::span<const std::string_view> needs;          // tables, by which the format is known
  std::span<const std::string_view> or_needs = {};  // or by these
  std::span<const SqliteEvents> events;
  std::span<const SqliteNames> names = {};
  std::span<const SqliteSource> metadata = {};     // each row becomes an object under its table's name
  std::span<const std::string_view> ignored = {};  // tables that hold no events: beginnings of their names
  // Every table's name ends with what the name of this one ends with; each ending is a recording of its own.
  std::string_view suffixed = {};
  std::optional<std::string_view> null_text = {};  // a text that stands for none
  std::string_view process_column = {};            // where ids hold within a process: each is a recording of its own
};

// NOLINTEND(readability-redundant-member-init)

std::span<const SqliteFormat* const> all_sqlite_formats();

}  // namespace aaco
