// SPDX-License-Identifier: MIT
// The state in which a block's waves begin: kernel descriptor and geometry say which registers hold what.
#pragma once

#include <string>
#include <vector>

#include "machine.h"
#include "wave.h"

namespace aaco::amd {

struct BlockStart {
  const KernelCode& kernel;
  const Geometry& geometry;
  std::span<const std::byte> kernarg;
  std::uint64_t seed;  // of what registers and LDS hold that nobody has written
};

// Why this cannot be launched; empty where it can.
std::string launch_problem(const KernelCode& kernel, const Geometry& geometry, std::size_t kernarg_bytes);

// Puts LDS and waves of block number `block` (x fastest) into `group` and `waves`, whose storage is used again.
void start_block(const BlockStart& start, std::uint32_t block, Launch& launch, Workgroup& group,
                 std::vector<Wave>& waves);

// Sets MODE and what follows from it. Bits 3:0 rounding, 7:4 denormals, as rsrc1 19:12.
void set_mode(Wave& wave, std::uint32_t mode);

}  // namespace aaco::amd
