// SPDX-License-Identifier: MIT
#include "device/gpu/hip/rocprofiler/agent_devices.h"

#include <string>
#include <tuple>
#include <vector>

#include "device/gpu/failure.h"
#include "device/gpu/hip/rocprofiler/rocprofiler_api.h"

namespace aaco::gpu {

namespace {

struct PciPlace {
  uint32_t domain = 0;
  uint32_t bus = 0;
  uint32_t device = 0;
  friend bool operator==(const PciPlace&, const PciPlace&) = default;
};

struct GpuAgent {
  uint64_t id = 0;
  PciPlace place;
};

// The location is bus, device and function: 8, 5 and 3 bits. Above them the kernel numbers the parts of a device.
rocprofiler_status_t list_agents(rocprofiler_agent_version_t, const void** agents, size_t count, void* list) {
  for (size_t i = 0; i < count; ++i) {
    const auto& agent = *static_cast<const rocprofiler_agent_t*>(agents[i]);
    if (agent.type == ROCPROFILER_AGENT_TYPE_GPU) {
      const PciPlace place{agent.domain, agent.location_id >> 8 & 0xffU, agent.location_id >> 3 & 0x1fU};
      static_cast<std::vector<GpuAgent>*>(list)->push_back({agent.id.handle, place});
    }
  }
  return ROCPROFILER_STATUS_SUCCESS;
}

}  // namespace

int32_t AgentDevices::find() {
  std::vector<GpuAgent> agents;
  RocprofilerApi& api = rocprofiler();
  AACO_ROCPROFILER_TRY(
      api.query_available_agents(ROCPROFILER_AGENT_INFO_VERSION_0, list_agents, sizeof(rocprofiler_agent_t), &agents));
  int count = 0;
  AACO_GPU_TRY(gpuGetDeviceCount(&count));
  devices_.clear();
  for (int i = 0; i < count; ++i) {
    hipDeviceProp_t device{};
    AACO_GPU_TRY(hipGetDeviceProperties(&device, i));
    const PciPlace place{static_cast<uint32_t>(device.pciDomainID), static_cast<uint32_t>(device.pciBusID),
                         static_cast<uint32_t>(device.pciDeviceID)};
    int matches = 0;
    for (const GpuAgent& agent : agents) {
      if (agent.place == place) {
        ++matches;
        devices_[agent.id] = static_cast<uint32_t>(i);
      }
    }
    if (matches != 1) {
      return AACO_GPU_FAIL(kAacoUnavailable,
                           std::to_string(matches) + " of rocprofiler-sdk's agents are where HIP device " +
                               std::to_string(i) + " is on the PCI bus: its records cannot be told from others'\n" +
                               "rocprofv3 is the other way (--with rocprofv3)");
    }
  }
  return kAacoOk;
}

uint32_t AgentDevices::number(rocprofiler_agent_id_t agent) const {
  const auto device = devices_.find(agent.handle);
  return device != devices_.end() ? device->second : kUnknownDevice;
}

}  // namespace aaco::gpu
