// SPDX-License-Identifier: MIT
// What the operators of a framework cost on the device.
#pragma once

#include <string>

#include "analysis/timeline/trace_summary.h"
#include "base/json_fwd.h"
#include "trace/event_table.h"

namespace aaco::report {

Json operators_json(const EventTable& events, const TraceSummary& summary);

// Of each rank the `most` with the longest device time of their own; nothing where no operator launched anything.
std::string operators_text(const EventTable& events, const TraceSummary& summary, size_t most);

}  // namespace aaco::report
