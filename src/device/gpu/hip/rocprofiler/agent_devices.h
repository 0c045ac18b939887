// SPDX-License-Identifier: MIT
// Which HIP device an agent of rocprofiler-sdk is: by the place on the PCI bus, as variables of the environment may
// hide and reorder HIP's devices.
#pragma once

#include <cstdint>
#include <rocprofiler-sdk/fwd.h>
#include <unordered_map>

namespace aaco::gpu {

// A device that is none of HIP's, or not known.
inline constexpr uint32_t kUnknownDevice = ~uint32_t{0};

class AgentDevices {
 public:
  // Calls HIP. Not available where a device's place does not tell its agent (parts of a partitioned device share it).
  int32_t find();
  uint32_t number(rocprofiler_agent_id_t agent) const;

 private:
  std::unordered_map<uint64_t, uint32_t> devices_;
};

}  // namespace aaco::gpu
