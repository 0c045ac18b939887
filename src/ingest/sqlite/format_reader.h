// SPDX-License-Identifier: MIT
// A database of a known format as events, by what its tables are said to be.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ingest/sqlite/database/database.h"
#include "ingest/sqlite/sqlite_format.h"
#include "record/events/event_table.h"
#include "record/events/track_index.h"

namespace aaco {

// Adds the tables whose names end with `suffix`; `recording` is theirs, or the first of theirs;
// `tracks` are those of `into`.
void read_sqlite_tables(SqliteDatabase& database, const SqliteFormat& format, const std::string& suffix,
                        uint32_t recording, TrackIndex& tracks, EventTable& into);

// Base tables of the database that the format does not mention and that have rows.
std::vector<std::string> unread_tables(const SqliteDatabase& database, const SqliteFormat& format,
                                       std::span<const std::string> suffixes);

}  // namespace aaco
