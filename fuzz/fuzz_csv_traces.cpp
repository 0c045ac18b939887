// SPDX-License-Identifier: MIT
// Any bytes as each of the CSV formats of traces, whatever they are recognised as: a table whose columns are as long as
// each other, or an error with a hint. Three times into one table, as files of one recording, two of them of a
// workload.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "analysis/timeline/trace_summary.h"
#include "ingest/trace_format.h"
#include "input_file.h"

namespace {

void check(const aaco::EventTable& table) {
  using aaco::fuzz::require;
  for (size_t i = 0; i < table.size(); ++i) {
    require(table.duration_ns[i] >= 0 && table.end_ns(i) >= table.start_ns[i]);
    require(table.track[i] < table.tracks.size() && table.name[i] < table.strings.size());
    require(table.arguments.begin(i) <= table.arguments.end(i));
  }
  for (const aaco::DeviceSummary& device : aaco::summarise_trace(table).devices) {
    const aaco::TimeShares& budget = device.budget;
    require(budget.computation_ns + budget.exposed_communication_ns + budget.exposed_copy_ns + budget.idle_ns ==
            budget.window_ns());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using aaco::fuzz::require;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const aaco::TraceFormat& format : aaco::all_trace_formats()) {
    if (!std::string_view(format.id).ends_with("csv") || !format.recognises(text)) {
      continue;
    }
    aaco::EventTable table;
    for (const char* name : {"input", "pmc_perf_0.csv", "timestamps.csv"}) {
      const auto source = aaco::bytes_of(text);
      const auto done = format.read({name, name, *source, 0}, table);
      require(done || (!done.error().message.empty() && !done.error().hint.empty()));
    }
    check(table);
  }
  return 0;
}
