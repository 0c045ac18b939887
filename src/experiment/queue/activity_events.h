// SPDX-License-Identifier: MIT
// What a collector recorded of a device, as an event table: one track per stream, one per host thread.
#pragma once

#include <string>
#include <vector>

#include "trace/device_activity.h"
#include "trace/event_table.h"
#include "workload/dispatch.h"

namespace aaco {

// Streams of `target` are numbered as the workload numbers them; any other keeps the device's own number.
EventTable events_of_activity(const std::vector<ActivityRecord>& records, const ActivitySink& sink,
                              const ProgramTarget& target, const std::string& name);

}  // namespace aaco
