// SPDX-License-Identifier: MIT
// What `aaco trace report` says of a trace, for machines and for people.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/timeline/trace_summary.h"
#include "base/json_fwd.h"
#include "report/trace/held_section.h"
#include "trace/event_table.h"

namespace aaco::report {

struct TraceFile {
  std::string path;
  std::string format;
  uint64_t bytes = 0;  // on disk
};

// Where a trace came from.
struct TraceOrigin {
  std::vector<TraceFile> files;
  std::vector<std::string> unknown_files;  // of a folder: in no known format
  std::optional<TraceShard> shard;         // of a session that holds a part of an import
};

// Times are integers in nanoseconds; docs/measuring.md defines each figure.
Json trace_report_json(const TraceOrigin& origin, const EventTable& events, const TraceSummary& summary);

// The same as tables, of each device the `kernels` with the longest totals.
std::string trace_report_text(const TraceOrigin& origin, const EventTable& events, const TraceSummary& summary,
                              size_t kernels);

}  // namespace aaco::report
