// SPDX-License-Identifier: MIT
// What other tables refer to, in memory: some columns of a table by a key.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory/growing_array.h"
#include "ingest/sqlite/database/database.h"
#include "ingest/sqlite/database/table_scan.h"
#include "ingest/table/cell.h"
#include "record/events/event_table.h"

namespace aaco {

class KeyedRows {
 public:
  static constexpr size_t kNone = SIZE_MAX;

  // Reads the table; texts go into `into`'s strings. A key that comes twice is a loss: the last one counts.
  KeyedRows(SqliteDatabase& database, std::string_view table, std::string_view key,
            std::span<const std::string> columns, EventTable& into);
  // A column of texts, by their place.
  KeyedRows(std::span<const std::string_view> texts, EventTable& into);

  size_t find(int64_t key) const;  // kNone where there is none
  Cell cell(size_t row, size_t column) const;

 private:
  struct StoredCell {
    uint64_t bits;    // of an integer or a real number; where a text is
    uint32_t length;  // of a text
    Cell::Type type;
  };
  // Of some rows, read by one thread.
  struct Part {
    GrowingArray<int64_t> keys;
    GrowingArray<StoredCell> stored;  // texts: their number
    StringTable strings;
    std::vector<StringId> renumbered;  // in the event table
    LossTable losses;
  };

  void read(SqliteTable& table);
  static void read_part(SqliteScan& scan, std::span<Cell> cells, Part& part);
  void append(Part& part);
  void sort_by_key(const std::string& where);

  EventTable& table_;
  size_t columns_;
  GrowingArray<int64_t> keys_;       // ascending
  GrowingArray<size_t> rows_;        // of the keys, where they did not come in order; else empty
  GrowingArray<StoredCell> stored_;  // row by row
};

}  // namespace aaco
