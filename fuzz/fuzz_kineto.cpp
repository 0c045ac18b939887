// SPDX-License-Identifier: MIT
// Any bytes as a trace in Chrome's format: a table whose columns are as long as each other and whose budgets add up, or
// an error with a hint.
#include <cstddef>
#include <cstdint>
#include <span>

#include "analysis/timeline/trace_summary.h"
#include "ingest/kineto.h"
#include "input_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using aaco::fuzz::require;
  const auto source = aaco::bytes_of({reinterpret_cast<const char*>(data), size});
  aaco::EventTable table;
  const auto done = aaco::read_kineto(*source, "input", 0, table);
  if (!done) {
    require(!done.error().message.empty() && !done.error().hint.empty());
    return 0;
  }
  for (size_t i = 0; i < table.size(); ++i) {
    require(table.duration_ns[i] >= 0 && table.end_ns(i) >= table.start_ns[i]);
    require(table.track[i] < table.tracks.size() && table.name[i] < table.strings.size());
    require(table.arguments.begin(i) <= table.arguments.end(i));
  }
  for (const aaco::DeviceSummary& device : aaco::summarise_trace(table).devices) {
    const aaco::TimeBudget& budget = device.budget;
    require(length_ns(budget.computation) + length_ns(budget.exposed_communication) + length_ns(budget.exposed_copy) +
                length_ns(budget.idle) ==
            budget.window_ns());
  }
  return 0;
}
