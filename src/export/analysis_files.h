// SPDX-License-Identifier: MIT
// The figures of a trace as Parquet files, as a session and an export of tables hold them.
#pragma once

#include <filesystem>

#include "analysis/timeline/trace_summary.h"
#include "base/result.h"
#include "record/events/event_table.h"

namespace aaco {

// Under `folder`, a file for each table, written piece by piece. Errors: as write_parquet_pieces.
Result<void> write_analysis_files(const std::filesystem::path& folder, const EventTable& events,
                                  const TraceSummary& summary);

}  // namespace aaco
