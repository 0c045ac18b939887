// SPDX-License-Identifier: MIT
// What stands behind a trace's figures less firmly than they look: lost device time, kernels without a record, clocks
// that disagree.
#pragma once

#include <cstdint>
#include <string>

#include "analysis/timeline/trace_summary.h"
#include "base/json_fwd.h"
#include "trace/event_table.h"

namespace aaco::report {

// All that slices lasted, with those that are in no figure: what shares of lost device time are of.
int64_t recorded_device_ns(const TraceSummary& summary);

// A line for each; empty where there is no doubt.
std::string doubts_text(const EventTable& events, const TraceSummary& summary);

// Launches of kernels by a device's rank, and of each step with some that left no record.
Json unrecorded_launches_json(const EventTable& events, const UnrecordedLaunches& launches);

}  // namespace aaco::report
