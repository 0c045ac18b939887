// SPDX-License-Identifier: MIT
// An imported trace in a session bundle: the tables of trace/trace_rows.h in the folder trace/.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "session/session.h"
#include "trace/event_table.h"

namespace aaco {

// Into trace/ of any folder, which is made; each file is atomic.
Result<void> write_trace_tables(const std::filesystem::path& folder, const EventTable& events);

Result<void> write_trace(SessionWriter& session, const EventTable& events);

// What was written, of a session or any such folder. Errors: kUsage where a file is missing, damaged, or does not fit
// the others.
Result<EventTable> read_trace_tables(const std::filesystem::path& folder);

}  // namespace aaco
