// SPDX-License-Identifier: MIT
// An imported trace in a session bundle: the tables of trace/trace_rows.h in the folder trace/.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "session/session.h"
#include "trace/event_table.h"

namespace aaco {

Result<void> write_trace(SessionWriter& session, const EventTable& events);

// What was written. Errors: kUsage where a file is missing, damaged, or does not fit the others.
Result<EventTable> read_trace_tables(const std::filesystem::path& session);

}  // namespace aaco
