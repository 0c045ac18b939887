// SPDX-License-Identifier: MIT
// What hardware counters say of kernels.
#pragma once

#include <string>

#include "analysis/timeline/trace_summary.h"
#include "base/json_fwd.h"
#include "trace/event_table.h"

namespace aaco::report {

Json counters_json(const EventTable& events, const TraceSummary& summary);

// Of each device the `most` kernels with the longest totals; nothing without counters.
std::string counters_text(const EventTable& events, const TraceSummary& summary, size_t most);

}  // namespace aaco::report
