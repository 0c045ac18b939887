// SPDX-License-Identifier: MIT
// What a code object says of its kernels, in the msgpack of its note NT_AMDGPU_METADATA: the AMDGPU backend's
// "Code Object Metadata" (https://llvm.org/docs/AMDGPUUsage.html), versions 3 to 5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace aaco::amd {

struct KernelArgument {
  std::string kind;  // by_value, global_buffer, hidden_block_count_x, ...
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
  bool hidden() const { return kind.starts_with("hidden_"); }
};

struct KernelMetadata {
  std::string name;                       // mangled
  std::string symbol;                     // of its descriptor: the name and ".kd"
  std::vector<KernelArgument> arguments;  // in the order of the call, hidden ones after them
  std::uint32_t kernarg_bytes = 0;
  std::uint32_t lds_bytes = 0;      // of a block, without dynamic shared memory
  std::uint32_t scratch_bytes = 0;  // of a lane
  std::uint32_t vgprs = 0;          // of a lane, AGPRs included where both share one file (gfx90a, gfx942)
  std::uint32_t agprs = 0;
  std::uint32_t sgprs = 0;
  std::uint32_t vgpr_spills = 0;
  std::uint32_t sgpr_spills = 0;
  std::uint32_t wave_lanes = 0;
  std::uint32_t most_threads = 0;  // of a block
};

// Errors: what is no msgpack, is nested too deep, or lacks a field.
Result<std::vector<KernelMetadata>> read_metadata(std::span<const std::byte> msgpack);

}  // namespace aaco::amd
