// SPDX-License-Identifier: MIT
// What the rows of a foreign table are, as data: a format that consists of tables (CSV, SQLite) is a list of these.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "record/events/event_table.h"

namespace aaco {

// What a column says of the event. A column without a role becomes an argument under its own name; one whose value its
// role cannot hold exactly ("Agent 4" as a device) becomes one too.
enum class ColumnRole : uint8_t {
  kStart,
  kEnd,
  kDuration,
  kName,
  kCategory,
  kCorrelation,
  kExternalId,
  kProcess,
  kThread,
  kRank,
  kDevice,       // an integer, or a text that ends with one: "Agent 4", "NVIDIA H200 (0)"
  kSource,       // of a copy: its device where no column says it, and `from_source` says so; an argument as well
  kDestination,  // likewise, where `from_source` does not
  kStream,
  kQueue,      // the stream where no column is one; always an argument as well
  kValueName,  // of a table in the long form, which has a row for each value of an event
  kValue,
};
inline constexpr size_t kColumnRoles = 17;

struct ColumnMapping {
  std::string_view name;  // whatever the case of its letters
  ColumnRole role;
};

// NOLINTBEGIN(readability-redundant-member-init): GCC wants them where members are initialised by name

// Rows without a start are untimed.
struct TableKind {
  std::string_view id = {};                      // "rocprofv3 kernel trace"
  std::span<const std::string_view> needs = {};  // columns by which the table is known
  std::span<const ColumnMapping> columns = {};   // of several with one role the first that is there counts
  EventKind kind = EventKind::kOther;            // of its rows, but where `kind_of` says another
  EventShape shape = EventShape::kSlice;         // of its rows with a start: a slice, an instant or a device's counter
  std::string_view name = {};                    // of its rows where no column says it
  std::string_view category = {};                // likewise
  int64_t ns_per_unit = 1;                       // of its times: a power of 1000
  EventKind (*kind_of)(std::string_view category, std::string_view name) = nullptr;
  bool (*from_source)(std::string_view name) = nullptr;  // whether a copy of that name is its source's
  bool zero_is_no_start = false;                         // of clocks that run since the machine began
  bool keeps_times = false;  // as arguments too: for rows that may lose their place in time (dispatches.h)
  // In the long form: the columns by which an event's rows are known.
  std::span<const std::string_view> event_of = {};
};

// NOLINTEND(readability-redundant-member-init)

// The first whose needs are all among the columns of a table; null where none is.
const TableKind* find_table_kind(std::span<const TableKind> kinds, std::span<const std::string_view> columns);

// Letters A to Z and a to z are the same.
bool same_column(std::string_view a, std::string_view b);

}  // namespace aaco
