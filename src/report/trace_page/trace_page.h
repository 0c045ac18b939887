// SPDX-License-Identifier: MIT
// Another profiler's trace as a report that every sink draws: the sections of `aaco trace report`, with plots.
#pragma once

#include <cstddef>

#include "analysis/timeline/trace_summary.h"
#include "record/events/event_table.h"
#include "record/events/trace_origin.h"
#include "report/report_model.h"

namespace aaco::report {

struct TraceDetail {
  static constexpr size_t kRows = 50;

  size_t rows = kRows;       // of a table
  bool all_columns = false;  // not those alone that fit a page
};

// Every table of the analyses (analysis/timeline/tables) is in it; one that no section asks for has a section of its
// own. What may be as long as the trace, the parts of a critical path and single collectives, is not.
Report build_trace_report(const TraceOrigin& origin, const EventTable& events, const TraceSummary& summary,
                          const TraceDetail& detail);

}  // namespace aaco::report
