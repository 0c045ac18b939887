// SPDX-License-Identifier: MIT
// What a trace says, drawn. A chart without data says why.
#pragma once

#include <vector>

#include "analysis/timeline/trace_summary.h"
#include "record/events/event_table.h"
#include "report/plot/chart.h"

namespace aaco::report {

using Charts = std::vector<plot::Chart>;

Charts strip_charts(const EventTable& events, const TraceSummary& summary);     // what each device did over time
Charts budget_charts(const EventTable& events, const TraceSummary& summary);    // a bar per device
Charts idle_charts(const EventTable& events, const TraceSummary& summary);      // by cause
Charts queue_charts(const EventTable& events, const TraceSummary& summary);     // depth over time
Charts kernel_charts(const EventTable& events, const TraceSummary& summary);    // by time
Charts operator_charts(const EventTable& events, const TraceSummary& summary);  // by time
Charts roofline_charts(const EventTable& events, const TraceSummary& summary);  // one per set of roofs
Charts memory_charts(const EventTable& events, const TraceSummary& summary);    // over time
Charts path_charts(const EventTable& events, const TraceSummary& summary);      // critical paths by kind

}  // namespace aaco::report
