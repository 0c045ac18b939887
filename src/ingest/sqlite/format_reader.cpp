// SPDX-License-Identifier: MIT
#include "ingest/sqlite/format_reader.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

#include "base/json.h"
#include "ingest/sqlite/joined_rows.h"
#include "ingest/sqlite/owned_values.h"
#include "ingest/table/table_rows.h"
#include "trace/track_index.h"

namespace aaco {

namespace {

std::string text_of(const Cell& cell) {
  return cell.type == Cell::Type::kText      ? std::string(cell.text)
         : cell.type == Cell::Type::kInteger ? std::to_string(cell.integer)
         : cell.type == Cell::Type::kReal    ? fmt::format("{}", cell.real)
                                             : std::string();
}

Json json_of(const Cell& cell) {
  switch (cell.type) {
    case Cell::Type::kInteger:
      return cell.integer;
    case Cell::Type::kReal:
      return cell.real;
    case Cell::Type::kText:
      return cell.text;
    case Cell::Type::kNull:
      break;
  }
  return nullptr;
}

// Whether a row is of a kind, by columns looked up once.
class KindTest {
 public:
  KindTest(const SqliteRowKind& kind, const JoinedRows& rows) : tests_(kind.tests) {
    for (const SqliteTest& test : tests_) {
      columns_.push_back(rows.find(test.column));
    }
  }

  bool holds(std::span<const Cell> cells) const {
    for (size_t i = 0; i < tests_.size(); ++i) {
      if (!one_holds(tests_[i], columns_[i] ? cells[*columns_[i]] : Cell{})) {
        return false;
      }
    }
    return true;
  }

 private:
  static bool one_holds(const SqliteTest& test, const Cell& cell) {
    if (!test.values.empty()) {
      return cell.type == Cell::Type::kInteger &&
             std::find(test.values.begin(), test.values.end(), cell.integer) != test.values.end();
    }
    return test.text.empty() ? cell.type == Cell::Type::kNull
                             : cell.type == Cell::Type::kText && cell.text == test.text;
  }

  std::span<const SqliteTest> tests_;
  std::vector<std::optional<size_t>> columns_;
};

class FormatReader {
 public:
  FormatReader(SqliteDatabase& database, const SqliteFormat& format, const std::string& suffix, uint32_t recording,
               TrackIndex& tracks, EventTable& into)
      : format_(format),
        reading_{database, suffix, format.null_text, into, {}},
        recording_(recording),
        first_track_(into.tracks.size()),
        tracks_(tracks),
        into_(into) {}

  void read() {
    for (const SqliteEvents& events : format_.events) {
      if (reading_.has(events.source.table)) {
        read_events(events);
      }
    }
    for (auto& [values, owned] : values_) {
      owned.count_unowned(reading_, *values);
    }
    for (const SqliteNames& names : format_.names) {
      if (reading_.has(names.source.table)) {
        read_names(names);
      }
    }
    name_tracks();
    for (const SqliteSource& source : format_.metadata) {
      if (reading_.has(source.table)) {
        read_metadata(source);
      }
    }
  }

 private:
  using Name = std::pair<std::string, std::string>;  // process and thread, as tracks have them

  bool has_needs(const SqliteEvents& events, const JoinedRows& rows);
  uint32_t recording_of(const Cell& process);
  void read_events(const SqliteEvents& events);
  void read_names(const SqliteNames& names);
  void name_tracks();
  void read_metadata(const SqliteSource& source);

  const SqliteFormat& format_;
  SqliteReading reading_;
  uint32_t recording_;
  size_t first_track_;
  TrackIndex& tracks_;
  EventTable& into_;
  std::map<const SqliteValues*, OwnedValues> values_;
  std::map<int64_t, uint32_t> recordings_;  // by process
  std::map<std::string, StringId> process_names_;
  std::map<Name, StringId> thread_names_;
};

bool FormatReader::has_needs(const SqliteEvents& events, const JoinedRows& rows) {
  for (const std::string_view need : events.kinds.front().kind.needs) {
    if (!rows.find(need)) {
      into_.losses.add(Loss::kUnknownRecord, [&] {
        return fmt::format("{}: table {} has no column {}", reading_.database.name(), events.source.table, need);
      });
      return false;
    }
  }
  return true;
}

// The first process has the file's recording, each further one its own: their ids are not each other's.
uint32_t FormatReader::recording_of(const Cell& process) {
  if (process.type != Cell::Type::kInteger) {
    return recording_;
  }
  const auto [found, added] = recordings_.try_emplace(process.integer, recording_);
  if (added && recordings_.size() > 1) {
    found->second = static_cast<uint32_t>(into_.recordings.size());
    into_.recordings.push_back({fmt::format("{} (process {})", reading_.database.name(), process.integer), format_.id});
  }
  return found->second;
}

void FormatReader::read_events(const SqliteEvents& events) {
  std::vector<std::string_view> kept;
  for (const SqliteRowKind& kind : events.kinds) {
    for (const TableColumn& column : kind.kind.columns) {
      kept.push_back(column.name);
    }
  }
  JoinedRows rows(reading_, events.source, kept);
  if (!has_needs(events, rows)) {
    return;
  }
  std::vector<KindTest> tests;
  std::vector<TableRows> tables;
  const std::string where = fmt::format("{}: table {}", reading_.database.name(), events.source.table);
  for (const SqliteRowKind& kind : events.kinds) {
    tests.emplace_back(kind, rows);
    tables.emplace_back(kind.kind, rows.columns(), where, recording_, tracks_, into_);
  }
  const auto key = rows.find(events.key);
  std::vector<OwnedValues*> owned;
  for (const SqliteValues* values : events.values) {
    owned.push_back(&values_.try_emplace(values, reading_, *values).first->second);
  }
  const auto process = rows.find(format_.process_column);
  std::vector<Argument> its_values;
  while (rows.next()) {
    const auto test =
        std::find_if(tests.begin(), tests.end(), [&](const KindTest& each) { return each.holds(rows.cells()); });
    const auto place = [&] { return fmt::format("{} row {}", where, rows.row()); };
    if (test == tests.end()) {
      into_.losses.add(Loss::kUnknownRecord, place);
      continue;
    }
    const auto kind = static_cast<size_t>(test - tests.begin());
    if (events.kinds[kind].loss) {
      into_.losses.add(*events.kinds[kind].loss, place);
    }
    its_values.clear();
    if (key && rows.cells()[*key].type == Cell::Type::kInteger) {
      for (OwnedValues* values : owned) {
        values->append(rows.cells()[*key].integer, its_values);
      }
    }
    if (process) {
      tables[kind].set_recording(recording_of(rows.cells()[*process]));
    }
    rows.drop_resolved();
    tables[kind].add(rows.cells(), static_cast<uint64_t>(rows.row()), its_values);
  }
}

void FormatReader::read_names(const SqliteNames& names) {
  JoinedRows rows(reading_, names.source, {});
  const auto process = rows.find(names.process);
  const auto thread = rows.find(names.thread);
  const auto name = rows.find(names.name);
  while (process && name && rows.next()) {
    const Cell& its_name = rows.cells()[*name];
    if (its_name.type == Cell::Type::kNull) {
      continue;
    }
    const StringId id = into_.strings.intern(text_of(its_name));
    const std::string its_process = text_of(rows.cells()[*process]);
    if (names.thread.empty()) {
      process_names_[its_process] = id;
    } else if (thread) {
      thread_names_[{its_process, text_of(rows.cells()[*thread])}] = id;
    }
  }
}

void FormatReader::name_tracks() {
  for (Track& track : std::span(into_.tracks).subspan(first_track_)) {
    const std::string process(into_.strings[track.process]);
    if (const auto found = process_names_.find(process); found != process_names_.end()) {
      track.process_name = found->second;
    }
    const auto found = thread_names_.find({process, std::string(into_.strings[track.thread])});
    if (found != thread_names_.end()) {
      track.thread_name = found->second;
    }
  }
}

void FormatReader::read_metadata(const SqliteSource& source) {
  JoinedRows rows(reading_, source, {});
  const StringId key = into_.strings.intern(source.table);
  while (rows.next()) {
    Json object = Json::object();
    for (size_t i = 0; i < rows.columns().size(); ++i) {
      if (rows.cells()[i].type != Cell::Type::kNull) {
        object[std::string(rows.columns()[i])] = json_of(rows.cells()[i]);
      }
    }
    const std::string text = object.dump(-1, ' ', false, Json::error_handler_t::replace);
    into_.metadata.push_back({recording_, key, into_.strings.intern(text)});
  }
}

void mention(const SqliteSource& source, std::set<std::string_view>& names) {
  names.insert(source.table);
  for (const SqliteJoin& join : source.joins) {
    names.insert(join.table);
  }
}

std::set<std::string_view> mentioned_tables(const SqliteFormat& format) {
  std::set<std::string_view> names;
  for (const SqliteEvents& events : format.events) {
    mention(events.source, names);
    for (const SqliteValues* values : events.values) {
      mention(values->source, names);
    }
  }
  for (const SqliteNames& each : format.names) {
    mention(each.source, names);
  }
  for (const SqliteSource& source : format.metadata) {
    mention(source, names);
  }
  return names;
}

}  // namespace

void read_sqlite_tables(SqliteDatabase& database, const SqliteFormat& format, const std::string& suffix,
                        uint32_t recording, TrackIndex& tracks, EventTable& into) {
  FormatReader(database, format, suffix, recording, tracks, into).read();
}

std::vector<std::string> unread_tables(const SqliteDatabase& database, const SqliteFormat& format,
                                       std::span<const std::string> suffixes) {
  std::set<std::string> known;
  for (const std::string_view name : mentioned_tables(format)) {
    for (const std::string& suffix : suffixes) {
      known.insert(std::string(name) + suffix);
    }
  }
  std::vector<std::string> unread;
  for (const std::string& table : database.tables()) {
    const bool ignored =
        table.starts_with("sqlite_") || std::any_of(format.ignored.begin(), format.ignored.end(),
                                                    [&](std::string_view start) { return table.starts_with(start); });
    if (!ignored && !known.contains(table) && database.has_rows(table)) {
      unread.push_back(table);
    }
  }
  return unread;
}

}  // namespace aaco
