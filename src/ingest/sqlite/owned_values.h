// SPDX-License-Identifier: MIT
// Values of events that lie in a table of their own, a row each: counters, arguments, metrics.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/memory/growing_array.h"
#include "ingest/sqlite/joined_rows.h"
#include "ingest/sqlite/sqlite_format.h"
#include "record/events/event_table.h"

namespace aaco {

class OwnedValues {
 public:
  // The table may be missing.
  OwnedValues(SqliteReading& reading, const SqliteValues& values);

  // What its strings are in another table, as far as they were needed.
  using StringMapping = std::vector<StringId>;

  // Those of an owner, in the order of their table, with their strings in `strings`. By several threads at once.
  void append(int64_t owner, StringTable& strings, StringMapping& renumbered, std::vector<Argument>& to);

  // A loss for each whose owner never came.
  void count_unowned(const SqliteReading& reading, const SqliteValues& values);

 private:
  struct Value {
    int64_t owner;
    Argument argument;
    bool consumed = false;
  };

  StringId string_in(StringTable& strings, StringMapping& renumbered, StringId id) const;

  StringTable strings_;
  GrowingArray<Value> values_;  // by owner; their strings are ours
};

}  // namespace aaco
