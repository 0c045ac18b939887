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
#include "trace/event_table.h"
#include "trace/track_index.h"

namespace aaco {

class TableRows {
 public:
  // `columns`: the table's, in order. `name`: of the file or table, in messages. `tracks` and `into` outlive it.
  TableRows(const TableKind& kind, std::span<const std::string_view> columns, std::string name, uint32_t recording,
            TrackIndex& tracks, EventTable& into);

  // As many cells as columns; `row` says where: a line, or a row's number. What has no readable time is untimed, with a
  // loss.
  void add(std::span<const Cell> cells, uint64_t row);

 private:
  struct Times {
    int64_t start_ns = 0;
    int64_t duration_ns = 0;
    bool timed = false;
  };

  const Cell* cell_of(ColumnRole role, std::span<const Cell> cells) const;
  int64_t id_of(ColumnRole role, std::span<const Cell> cells) const;
  StringId text_of(ColumnRole role, std::span<const Cell> cells, std::string_view otherwise);
  std::optional<int64_t> time_of(ColumnRole role, std::span<const Cell> cells, uint64_t row);
  Times times_of(std::span<const Cell> cells, uint64_t row);
  uint32_t track_of(EventKind kind, std::span<const Cell> cells);
  bool holds(ColumnRole role, const Cell& cell, const Event& event) const;
  void add_argument(size_t column, const Cell& cell);
  std::string place_of(uint64_t row) const;

  const TableKind& kind_;
  std::string name_;
  uint32_t recording_;
  TrackIndex& tracks_;
  EventTable& table_;
  std::vector<StringId> keys_;                    // of the columns
  std::vector<std::optional<ColumnRole>> roles_;  // of the columns
  std::array<std::optional<size_t>, kColumnRoles> column_of_;
  std::vector<Argument> arguments_;  // of the row at hand
};

}  // namespace aaco
