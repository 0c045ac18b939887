// SPDX-License-Identifier: MIT
// What a device communicated, and the ranks of a job side by side.
#pragma once

#include <string>

#include "analysis/timeline/trace_summary.h"
#include "base/json_fwd.h"
#include "trace/event_table.h"

namespace aaco::report {

Json collectives_json(const EventTable& events, const TraceSummary& summary, const DeviceSummary& device);
Json clocks_json(const TraceSummary& summary);
Json ranks_json(const EventTable& events, const TraceSummary& summary);

// The `most` kinds of collectives with the longest totals; nothing where there are none.
std::string collectives_text(const EventTable& events, const TraceSummary& summary, const DeviceSummary& device,
                             size_t most);
std::string ranks_text(const EventTable& events, const TraceSummary& summary);

}  // namespace aaco::report
