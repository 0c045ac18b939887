// SPDX-License-Identifier: MIT
#include "analysis/devices/device_facts.h"

#include "base/json/json.h"

namespace aaco {

AACO_JSON_FIELDS(DeviceFacts, id, name, architecture, driver, runtime, gemm_library, conv_library, memory_bytes,
                 compute_units, wave_lanes, pci, lowest_priority, highest_priority)
AACO_JSON_FIELDS(CommunicatorFacts, ranks, library, emulated)

std::string document_kind(const Json& json) {
  const auto kind = json.is_object() ? json.find("kind") : json.end();
  return json.is_object() && kind != json.end() && kind->is_string() ? kind->get<std::string>() : "";
}

}  // namespace aaco
