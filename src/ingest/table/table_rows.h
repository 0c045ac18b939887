// SPDX-License-Identifier: MIT
// Rows of a foreign table as events: every cell goes into a column of the event table or becomes an argument.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/table/cell.h"
#include "ingest/table/table_kind.h"
#include "record/events/event_table.h"
#include "record/events/track_index.h"

namespace aaco {

// A cell as an argument; none of a null.
std::optional<Argument> argument_of(StringId key, const Cell& cell, StringTable& strings);

class TableRows {
 public:
  // `columns`: the table's, in order. `name`: of the file or table, in messages. `tracks` and `into` outlive it.
  TableRows(const TableKind& kind, std::span<const std::string_view> columns, std::string name, uint32_t recording,
            TrackIndex& tracks, EventTable& into);

  // As many cells as columns; `row` says where: a line, or a row's number. What has no readable time is untimed, with a
  // loss. `values` are arguments that no column holds.
  void add(std::span<const Cell> cells, uint64_t row, std::span<const Argument> values = {});

  // Of the rows from here on.
  void set_recording(uint32_t recording) { recording_ = recording; }

 private:
  struct Times {
    int64_t start_ns = 0;
    int64_t duration_ns = 0;
    bool timed = false;
  };

  // Texts of a column that do not change from row to row.
  struct ColumnCache {
    std::optional<StringId> otherwise;  // what stands for null
    std::optional<int64_t> integer;     // the last one, and as a text
    StringId text = kEmptyString;
  };

  // A text by its address, which costs less than by its letters.
  struct LastingText {
    std::string_view text;
    StringId id = kEmptyString;
  };

  StringId intern(const Cell& text);
  void add_arguments(const TraceEvent& event, std::span<const Cell> cells, std::span<const Argument> values);
  const Cell* cell_of(ColumnRole role, std::span<const Cell> cells) const;
  int64_t id_of(ColumnRole role, std::span<const Cell> cells) const;
  StringId text_of(ColumnRole role, std::span<const Cell> cells, std::string_view otherwise);
  std::optional<int64_t> time_of(ColumnRole role, std::span<const Cell> cells, uint64_t row);
  Times times_of(std::span<const Cell> cells, uint64_t row);
  bool has_device(EventKind kind) const { return is_on_device(kind) || kind_.shape == EventShape::kCounter; }
  int64_t device_of(std::string_view name, std::span<const Cell> cells) const;
  uint32_t track_of(const TraceEvent& event, std::span<const Cell> cells);
  bool holds(ColumnRole role, const Cell& cell, const TraceEvent& event) const;
  std::string place_of(uint64_t row) const;

  const TableKind& kind_;
  std::string name_;
  uint32_t recording_;
  TrackIndex& tracks_;
  EventTable& table_;
  std::vector<StringId> keys_;                    // of the columns
  std::vector<std::optional<ColumnRole>> roles_;  // of the columns
  std::array<std::optional<size_t>, kColumnRoles> column_of_;
  std::array<ColumnCache, kColumnRoles> remembered_;
  std::vector<LastingText> lasting_;  // by their addresses, some of those that came last
};

}  // namespace aaco
