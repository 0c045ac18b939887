// SPDX-License-Identifier: MIT
// What `aaco trace report` says of a trace, for machines and for people. docs/measuring/traces.md defines each figure.
#pragma once

#include <string>
#include <vector>

#include "analysis/timeline/trace_summary.h"
#include "base/json/json_fwd.h"
#include "record/events/event_table.h"
#include "record/events/trace_origin.h"

namespace aaco::report {

// Times are integers in nanoseconds.
Json trace_figures(const TraceOrigin& origin, const EventTable& events, const TraceSummary& summary);

struct TraceLines {
  size_t most = 10;          // of each list the first
  std::string section = {};  // its id: that one alone, and whole; empty: all
};
// The same for a terminal: the answer, what to do, then all else.
std::string trace_lines(const TraceOrigin& origin, const EventTable& events, const TraceSummary& summary,
                        const TraceLines& lines);

// Ids of the sections of that, in its order.
std::vector<std::string> trace_section_ids();

}  // namespace aaco::report
