// SPDX-License-Identifier: MIT
// What `aaco trace report` says of a trace, for machines and for people.
#pragma once

#include <string>

#include "analysis/timeline/trace_summary.h"
#include "base/json_fwd.h"
#include "trace/event_table.h"
#include "trace/trace_origin.h"

namespace aaco::report {

// Times are integers in nanoseconds; docs/measuring.md defines each figure.
Json trace_report_json(const TraceOrigin& origin, const EventTable& events, const TraceSummary& summary);

// The same as tables, of each device the `kernels` with the longest totals.
std::string trace_report_text(const TraceOrigin& origin, const EventTable& events, const TraceSummary& summary,
                              size_t kernels);

}  // namespace aaco::report
