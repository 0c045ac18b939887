// SPDX-License-Identifier: MIT
#include "engine/device_facts.h"

namespace aaco {

DeviceFacts facts_of(const DeviceProperties& properties) {
  return {.id = properties.id,
          .name = properties.name,
          .architecture = properties.architecture,
          .driver = properties.driver,
          .runtime = properties.runtime,
          .gemm_library = properties.gemm_library,
          .conv_library = properties.conv_library,
          .memory_bytes = properties.memory_bytes,
          .compute_units = properties.compute_units,
          .wave_lanes = properties.wave_lanes,
          .pci = properties.pci.empty() ? std::nullopt : std::optional(properties.pci),
          .lowest_priority = properties.lowest_priority,
          .highest_priority = properties.highest_priority};
}

}  // namespace aaco
