// SPDX-License-Identifier: MIT
// What a session recorded beside a trace, as events of one: iterations and nodes, threads running and off a processor,
// what the kernel did, and samples as counters.
#pragma once

#include "record/events/event_table.h"
#include "record/recording.h"

namespace aaco {

// On tracks of their own, in a recording of their own. Times are those of the session, which observed traces have too.
void add_recorded_planes(const Recording& recording, EventTable& events);

}  // namespace aaco
