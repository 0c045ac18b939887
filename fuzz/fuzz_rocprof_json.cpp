// SPDX-License-Identifier: MIT
// Any bytes as the first rocprof's results.json.
#include <cstddef>
#include <cstdint>

#include "event_table.h"
#include "ingest/rocprof/rocprof_json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto source = aaco::bytes_of({reinterpret_cast<const char*>(data), size});
  aaco::EventTable table;
  aaco::fuzz::check_read(aaco::read_rocprof_json({"input", "input", *source}, table), table);
  return 0;
}
