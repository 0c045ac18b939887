// SPDX-License-Identifier: MIT
#include "ingest/sqlite/sqlite_trace.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ingest/sqlite/database/database.h"
#include "ingest/sqlite/format_reader.h"
#include "ingest/sqlite/sqlite_format.h"

namespace aaco {

namespace {

constexpr size_t kNamedTables = 12;

bool has_needs(const SqliteDatabase& database, const SqliteFormat& format, const std::string& suffix) {
  const auto has_all = [&](std::span<const std::string_view> tables) {
    return std::all_of(tables.begin(), tables.end(),
                       [&](std::string_view table) { return database.has(std::string(table) + suffix); });
  };
  return has_all(format.needs) || (!format.or_needs.empty() && has_all(format.or_needs));
}

// Of the parts of a database that are of this format; without parts, an empty one.
std::vector<std::string> suffixes_of(const SqliteDatabase& database, const SqliteFormat& format) {
  if (format.suffixed.empty()) {
    return has_needs(database, format, "") ? std::vector<std::string>{""} : std::vector<std::string>{};
  }
  std::vector<std::string> suffixes;
  for (const std::string& table : database.tables()) {
    if (table.starts_with(format.suffixed) && has_needs(database, format, table.substr(format.suffixed.size()))) {
      suffixes.push_back(table.substr(format.suffixed.size()));
    }
  }
  return suffixes;
}

std::string named(const std::vector<std::string>& tables) {
  const size_t shown = std::min(tables.size(), kNamedTables);
  const std::string text =
      fmt::format("{}", fmt::join(tables.begin(), tables.begin() + static_cast<ptrdiff_t>(shown), ", "));
  return shown == tables.size() ? text : fmt::format("{} and {} more", text, tables.size() - shown);
}

Error unknown_database(const SqliteDatabase& database) {
  std::string known;
  for (const SqliteFormat* format : all_sqlite_formats()) {
    known += std::string(known.empty() ? "" : "; ") + format->what;
  }
  return {ErrorKind::kUsage,
          fmt::format("{}: is a SQLite database of no known profiler ({})", database.name(),
                      database.tables().empty() ? "no tables" : "tables: " + named(database.tables())),
          "known: " + known};
}

void read_parts(SqliteDatabase& database, const SqliteFormat& format, const std::vector<std::string>& suffixes,
                uint32_t recording, EventTable& into) {
  TrackIndex tracks(into);
  for (size_t i = 0; i < suffixes.size(); ++i) {
    uint32_t its_recording = recording;
    if (i > 0) {
      its_recording = static_cast<uint32_t>(into.recordings.size());
      into.recordings.push_back({fmt::format("{} ({})", database.name(), suffixes[i]), format.id});
    }
    read_sqlite_tables(database, format, suffixes[i], its_recording, tracks, into);
  }
  const std::vector<std::string> unread = unread_tables(database, format, suffixes);
  if (!unread.empty()) {
    into.losses.add(Loss::kUnknownRecord,
                    [&] { return fmt::format("{}: tables not read: {}", database.name(), named(unread)); });
    into.losses.add(Loss::kUnknownRecord, unread.size() - 1);
  }
}

}  // namespace

Result<void> read_sqlite_trace(const TraceInput& input, EventTable& into) {
  AACO_ASSIGN(const std::unique_ptr<SqliteDatabase> database, SqliteDatabase::open(input, into.losses));
  for (const SqliteFormat* format : all_sqlite_formats()) {
    const std::vector<std::string> suffixes = suffixes_of(*database, *format);
    if (!suffixes.empty()) {
      if (input.recording < into.recordings.size()) {
        into.recordings[input.recording].format = format->id;
      }
      read_parts(*database, *format, suffixes, input.recording, into);
      return {};
    }
  }
  return unknown_database(*database);
}

}  // namespace aaco
