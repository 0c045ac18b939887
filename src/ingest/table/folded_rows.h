// SPDX-License-Identifier: MIT
// A table in the long form, with a row for each value of an event, as events: rows of one event become one, with their
// values as its arguments.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory/growing_array.h"
#include "ingest/table/cell.h"
#include "ingest/table/table_kind.h"
#include "ingest/table/table_rows.h"
#include "record/events/event_table.h"

namespace aaco {

class FoldedRows {
 public:
  // `rows` takes the events and has the same kind and columns. All but `kind` and `columns` outlive it.
  FoldedRows(const TableKind& kind, std::span<const std::string_view> columns, std::string name, TableRows& rows,
             EventTable& into);

  // As TableRows::add. What other columns say is taken from the event's first row that says it; where a later one says
  // something else, or a value of the event comes twice, that is a duplicate key, and the last one counts.
  void add(std::span<const Cell> cells, uint64_t row);

  // Adds the events, in the order of their first rows.
  void finish();

 private:
  struct Common {
    uint64_t number = 0;  // the integer, or the real number's bits
    StringId text = kEmptyString;
    Cell::Type type = Cell::Type::kNull;
  };
  struct Value {
    uint64_t event;
    uint64_t order;  // of the rows
    Argument argument;
  };

  uint64_t event_of(std::span<const Cell> cells, uint64_t row);
  void take_common(uint64_t event, std::span<const Cell> cells, uint64_t row);
  Cell cell_of(const Common& common) const;
  void add_duplicate(uint64_t row);

  std::string name_;
  TableRows& rows_;
  EventTable& table_;
  std::vector<bool> is_key_;    // of the columns: tells one event from the next
  std::vector<bool> is_value_;  // the value's name, or the value
  size_t value_name_ = 0;
  size_t value_ = 0;
  StringTable keys_;                   // a key's number is that of its event, plus one
  std::string key_;                    // of the row at hand
  GrowingArray<uint64_t> first_rows_;  // of the events
  GrowingArray<Common> commons_;       // event by event, a cell for each column
  GrowingArray<Value> values_;
};

}  // namespace aaco
