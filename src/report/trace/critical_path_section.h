// SPDX-License-Identifier: MIT
// What determined how long a trace took.
#pragma once

#include <string>

#include "analysis/timeline/trace_summary.h"
#include "base/json_fwd.h"
#include "trace/event_table.h"

namespace aaco::report {

// With the longest parts of each path, in order of time.
Json critical_paths_json(const EventTable& events, const TraceSummary& summary);

// Of each path its time by kind, the `most` longest items, and the steps.
std::string critical_paths_text(const EventTable& events, const TraceSummary& summary, size_t most);

}  // namespace aaco::report
