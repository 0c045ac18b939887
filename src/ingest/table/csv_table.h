// SPDX-License-Identifier: MIT
// A file of comma-separated values whose header says what its rows are.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ingest/bytes/byte_source.h"
#include "ingest/table/table_kind.h"
#include "trace/event_table.h"

namespace aaco {

// Whether the first row of a file is the header of one of `kinds`.
bool is_csv_table(std::string_view head, std::span<const TableKind> kinds);

// Adds a row's event for each row. One of another length than the header is a malformed event, at the file's end a
// truncated tail. Errors: kUsage where the header is that of none of `kinds`, or as CsvReader.
Result<void> read_csv_table(ByteSource& source, const std::string& name, uint32_t recording,
                            std::span<const TableKind> kinds, EventTable& into);

}  // namespace aaco
