// SPDX-License-Identifier: MIT
// Any bytes as a trace in Chrome's format.
#include <cstddef>
#include <cstdint>

#include "event_table.h"
#include "ingest/kineto/kineto.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto source = aaco::bytes_of({reinterpret_cast<const char*>(data), size});
  aaco::EventTable table;
  aaco::fuzz::check_read(aaco::read_kineto(*source, "input", 0, table), table);
  return 0;
}
