// SPDX-License-Identifier: MIT
// Any bytes as rocprofv3's results.json, in windows that are small.
#include <cstddef>
#include <cstdint>

#include "event_table.h"
#include "ingest/rocprof/rocprofv3_json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto source = aaco::bytes_of({reinterpret_cast<const char*>(data), size});
  aaco::EventTable table;
  aaco::fuzz::check_read(aaco::read_rocprofv3_json({"input", "input", *source}, table, 64), table);
  return 0;
}
