// SPDX-License-Identifier: MIT
// Any bytes as a profiler's database: a table whose columns are as long as each other, or an error with a hint.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "ingest/sqlite/sqlite_trace.h"
#include "input_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using aaco::fuzz::require;
  const auto source = aaco::bytes_of({reinterpret_cast<const char*>(data), size});
  aaco::EventTable table;
  table.recordings.push_back({"input", "sqlite"});
  const auto done = aaco::read_sqlite_trace({"no/such/file", "input", *source, 0}, table);
  if (!done) {
    require(!done.error().message.empty() && !done.error().hint.empty());
    return 0;
  }
  require(table.size() <= std::max<size_t>(size, 4096));
  for (size_t i = 0; i < table.size(); ++i) {
    require(table.duration_ns[i] >= 0 && table.end_ns(i) >= table.start_ns[i]);
    require(table.track[i] < table.tracks.size() && table.name[i] < table.strings.size());
    require(table.tracks[table.track[i]].recording < table.recordings.size());
    require(table.arguments.begin(i) <= table.arguments.end(i));
  }
  return 0;
}
