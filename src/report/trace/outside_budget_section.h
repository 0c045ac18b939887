// SPDX-License-Identifier: MIT
// What a trace holds that no time budget can: rows without times, readings, and launches of what was not recorded.
#pragma once

#include <string>

#include "base/json_fwd.h"
#include "trace/event_table.h"

namespace aaco::report {

// "untimed": rows without a start, as sums and counters; "readings": values of counters at a time; "launch_calls":
// calls by whose names something is launched. Each a number of events.
Json outside_budget_json(const EventTable& events);
// Of a trace without device activity that has times.
std::string no_device_text(const EventTable& events);

}  // namespace aaco::report
