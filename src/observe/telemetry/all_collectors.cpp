// SPDX-License-Identifier: MIT
#include <array>

#include "observe/kernel/kernel_collector.h"
#include "observe/telemetry/amdgpu/amdgpu_sampler.h"
#include "observe/telemetry/amdsmi/amdsmi_sampler.h"
#include "observe/telemetry/collector.h"
#include "observe/telemetry/host_sampler.h"
#include "observe/telemetry/nvml/nvml_sampler.h"

namespace aaco {

namespace {
const std::array kCollectors{host_collector(), nvml_collector(), amdgpu_collector(), amdsmi_collector(),
                             kernel_collector()};
}

std::span<const CollectorInfo> all_collectors() { return kCollectors; }

const CollectorInfo* find_collector(std::string_view id) {
  for (const CollectorInfo& collector : kCollectors) {
    if (collector.id == id) {
      return &collector;
    }
  }
  return nullptr;
}

}  // namespace aaco
