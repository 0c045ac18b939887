// SPDX-License-Identifier: MIT
// A file of comma-separated values whose header says what its rows are.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ingest/bytes/byte_source.h"
#include "ingest/table/csv_reader.h"
#include "ingest/table/table_kind.h"
#include "record/events/event_table.h"

namespace aaco {

// What a family of such files has of its own.
struct CsvFormat {
  std::span<const TableKind> kinds;
  Cell (*meaning)(const Cell& written, std::string_view column) = nullptr;  // its text lies within what was written
  bool remarks = false;     // lines of other programs may stand around the table
  bool tables = false;      // further headers may follow, each with its rows
  bool short_rows = false;  // rows may lack their last cells
  bool open_names = false;  // a row's first cell may hold commas without quotes, where all others are numbers
  // A row that ends with this column, a comma behind it or not, lacks nothing.
  std::string_view whole_with = {};  // NOLINT(readability-redundant-member-init): GCC warns of lists that leave it out
};

// Whether the head of a file holds the header of one of the kinds.
bool is_csv_table(std::string_view head, const CsvFormat& format);

// Adds a row's event for each row, or one for several of the long form. One of another length than the header is a
// malformed event, or a truncated tail where its line does not end; a short one that is allowed, and says anything but
// a time, is kept. Remarks become metadata. What is quoted is a text, but where every cell is, numbers too. Errors:
// kUsage where there is no header of a known kind, or as CsvReader.
Result<void> read_csv_table(ByteSource& source, const std::string& name, uint32_t recording, const CsvFormat& format,
                            EventTable& into);

struct CsvHeader {
  const TableKind* kind = nullptr;
  std::vector<std::string> columns;  // without spaces around them
};

// Reads up to the header and its line. The errors of read_csv_table.
Result<CsvHeader> read_csv_header(CsvReader& reader, const std::string& name, uint32_t recording,
                                  const CsvFormat& format, EventTable& into);

// Whether a row is one of the table; what is wrong with it is a loss. Fills up a short one, and makes a remark
// metadata.
bool take_csv_row(const CsvReader& reader, const CsvHeader& header, const std::string& name, uint32_t recording,
                  const CsvFormat& format, std::vector<Cell>& cells, EventTable& into);

}  // namespace aaco
