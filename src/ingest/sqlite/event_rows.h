// SPDX-License-Identifier: MIT
// The rows of one table of a database as events: by one thread into the event table, or by several, each into a part.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ingest/sqlite/joined_rows.h"
#include "ingest/sqlite/owned_values.h"
#include "ingest/sqlite/sqlite_format.h"
#include "ingest/table/table_rows.h"
#include "record/events/event_part.h"
#include "record/events/event_table.h"
#include "record/events/track_index.h"

namespace aaco {

// The recording of the rows of a process, where rows say of which they are.
using RecordingOf = std::function<uint32_t(std::optional<int64_t> process)>;

class EventRows {
 public:
  // What all threads share; outlives them.
  struct Source {
    const SqliteEvents& events;
    const JoinedTable& table;
    std::string where;              // in messages
    std::optional<size_t> process;  // its column
    std::vector<OwnedValues*> values;
  };

  EventRows(const Source& source, TrackIndex& tracks, EventTable& into, RecordingOf recording_of);

  SqliteScan& scan() { return rows_.scan(); }
  void read();  // all, or the part that the scan has been started on

 private:
  // Whether a row is of a kind, by columns looked up once.
  struct KindTest {
    KindTest(const SqliteRowKind& kind, const JoinedTable& table);
    bool holds(std::span<const Cell> cells) const;

    std::span<const SqliteTest> tests;
    std::vector<std::optional<size_t>> columns;
  };

  void add_row();

  const Source& source_;
  EventTable& into_;
  RecordingOf recording_of_;
  std::optional<int64_t> process_;  // of the last row, and its recording: rows of one come in runs
  uint32_t recording_;
  JoinedRows rows_;
  std::vector<KindTest> tests_;
  std::vector<TableRows> tables_;  // of the kinds
  std::optional<size_t> key_;
  std::vector<OwnedValues::StringMapping> renumbered_;  // of the source's values
  std::vector<Argument> values_;                        // of the row at hand
};

// As one of several threads: reads a part, then hands over what it read.
class ApartRows {
 public:
  explicit ApartRows(const EventRows::Source& source);
  ApartRows(const ApartRows&) = delete;
  ApartRows& operator=(const ApartRows&) = delete;

  void read(size_t part);
  // Rows up to `last` were taken before. False where no part behind this one is sound.
  bool move_to(EventTable& into, TrackIndex& tracks, const RecordingOf& recording_of, std::optional<int64_t>& last);

 private:
  uint32_t number_of(std::optional<int64_t> process);

  EventPart part_;
  TrackIndex tracks_;
  std::map<std::optional<int64_t>, uint32_t> numbers_;  // of the part's recordings, by process
  std::vector<std::optional<int64_t>> processes_;       // the reverse
  EventRows rows_;
};

}  // namespace aaco
