// SPDX-License-Identifier: MIT
// Databases of profilers: all begin alike, and are told apart by their tables.
#pragma once

#include "base/result.h"
#include "ingest/trace_format.h"

namespace aaco {

// Adds what the database holds, and names its format in its recording. Errors: kUsage where it is no database, or one
// of no known profiler.
Result<void> read_sqlite_trace(const TraceInput& input, EventTable& into);

}  // namespace aaco
