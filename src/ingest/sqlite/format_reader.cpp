// SPDX-License-Identifier: MIT
#include "ingest/sqlite/format_reader.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "base/json/json.h"
#include "base/process/ordered_parts.h"
#include "ingest/sqlite/event_rows.h"
#include "ingest/sqlite/joined_rows.h"
#include "ingest/sqlite/owned_values.h"
#include "record/events/track_index.h"

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

  bool has_needs(const SqliteEvents& events, const JoinedTable& table);
  uint32_t recording_of(std::optional<int64_t> process);
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

bool FormatReader::has_needs(const SqliteEvents& events, const JoinedTable& table) {
  for (const std::string_view need : events.kinds.front().kind.needs) {
    if (!table.find(need)) {
      into_.losses.add(Loss::kUnknownRecord, [&] {
        return fmt::format("{}: table {} has no column {}", reading_.database.name(), events.source.table, need);
      });
      return false;
    }
  }
  return true;
}

// The first process has the file's recording, each further one its own: their ids are not each other's.
uint32_t FormatReader::recording_of(std::optional<int64_t> process) {
  if (!process) {
    return recording_;
  }
  const auto [entry, added] = recordings_.try_emplace(*process, recording_);
  if (added && recordings_.size() > 1) {
    entry->second = static_cast<uint32_t>(into_.recordings.size());
    into_.recordings.push_back({fmt::format("{} (process {})", reading_.database.name(), *process), format_.id});
  }
  return entry->second;
}

void FormatReader::read_events(const SqliteEvents& events) {
  std::vector<std::string_view> kept;
  for (const SqliteRowKind& kind : events.kinds) {
    for (const ColumnMapping& column : kind.kind.columns) {
      kept.push_back(column.name);
    }
  }
  const JoinedTable table(reading_, events.source, kept);
  if (!has_needs(events, table)) {
    return;
  }
  EventRows::Source source{events,
                           table,
                           fmt::format("{}: table {}", reading_.database.name(), events.source.table),
                           table.find(format_.process_column),
                           {}};
  for (const SqliteValues* values : events.values) {
    source.values.push_back(&values_.try_emplace(values, reading_, *values).first->second);
  }
  const RecordingOf recording_of = [&](std::optional<int64_t> process) { return this->recording_of(process); };
  const size_t workers = workers_for(table.parts());
  if (workers == 1) {
    EventRows(source, tracks_, into_, recording_of).read();
    return;
  }
  std::vector<std::unique_ptr<ApartRows>> apart(workers);
  for (auto& each : apart) {
    each = std::make_unique<ApartRows>(source);
  }
  std::optional<int64_t> last;
  do_in_order(
      table.parts(), workers, [&](size_t worker, size_t part) { apart[worker]->read(part); },
      [&](size_t worker, size_t /*part*/) { return apart[worker]->move_to(into_, tracks_, recording_of, last); });
}

void FormatReader::read_names(const SqliteNames& names) {
  const JoinedTable table(reading_, names.source, {});
  const auto process = table.find(names.process);
  const auto thread = table.find(names.thread);
  const auto name = table.find(names.name);
  JoinedRows rows(table, into_);
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
    if (const auto process_name = process_names_.find(process); process_name != process_names_.end()) {
      track.process_name = process_name->second;
    }
    const auto thread_name = thread_names_.find({process, std::string(into_.strings[track.thread])});
    if (thread_name != thread_names_.end()) {
      track.thread_name = thread_name->second;
    }
  }
}

void FormatReader::read_metadata(const SqliteSource& source) {
  const JoinedTable table(reading_, source, {});
  JoinedRows rows(table, into_);
  const StringId key = into_.strings.intern(source.table);
  while (rows.next()) {
    Json object = Json::object();
    for (size_t i = 0; i < table.columns().size(); ++i) {
      if (rows.cells()[i].type != Cell::Type::kNull) {
        object[std::string(table.columns()[i])] = json_of(rows.cells()[i]);
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
