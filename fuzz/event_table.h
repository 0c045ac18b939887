// SPDX-License-Identifier: MIT
// What holds of every event table, whatever it was read from: its columns are as long as each other, its numbers refer
// to what is there, and its budgets add up.
#pragma once

#include "analysis/timeline/trace_summary.h"
#include "base/result.h"
#include "input_file.h"
#include "record/events/event_table.h"

namespace aaco::fuzz {

inline void check_table(const EventTable& table) {
  for (size_t i = 0; i < table.size(); ++i) {
    require(table.duration_ns[i] >= 0 && table.end_ns(i) >= table.start_ns[i]);
    require(table.track[i] < table.tracks.size() && table.name[i] < table.strings.size());
    require(table.arguments.begin(i) <= table.arguments.end(i));
  }
  for (const DeviceSummary& device : summarise_trace(table).devices) {
    const TimeShares& budget = device.budget;
    require(budget.computation_ns + budget.exposed_communication_ns + budget.exposed_copy_ns + budget.idle_ns ==
            budget.window_ns());
  }
}

// Of reading any bytes: a table, or an error with a hint.
inline void check_read(const Result<void>& done, const EventTable& table) {
  if (!done) {
    require(!done.error().message.empty() && !done.error().hint.empty());
    return;
  }
  check_table(table);
}

}  // namespace aaco::fuzz
