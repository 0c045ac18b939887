// SPDX-License-Identifier: MIT
// Any bytes as what rocm-smi or amd-smi printed.
#include <cstddef>
#include <cstdint>

#include "event_table.h"
#include "ingest/telemetry/amd_smi.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto source = aaco::bytes_of({reinterpret_cast<const char*>(data), size});
  aaco::EventTable table;
  aaco::fuzz::check_read(aaco::read_amd_smi({"input", "input", *source}, table), table);
  return 0;
}
