// SPDX-License-Identifier: MIT
// What the kernels of a step take of a compute unit, by the device's own records, and how many of its waves they let
// run at once:
//
//   occupancy   waves of the blocks that fit on a compute unit over the waves that it holds at most; of registers,
//               shared memory, threads and blocks what allows the fewest blocks limits it. Registers are given to waves
//               in units of 256, of a quarter of the unit's each; shared memory in units of 128 bytes.
//
// It is NVIDIA's rule (CUDA's occupancy calculator, compute capability 7.0 to 9.0); of other devices it is unknown.
// What it does not tell: how many waves were there, which the launch's size and its end decide too; whether more would
// be faster.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"
#include "record/device/activity_record.h"
#include "record/events/event_table.h"

namespace aaco {

// Launches of one kernel that took the same.
struct KernelUse {
  std::string name;
  int64_t launches = 0;
  double total_ns = 0;
  // Where the collector tells.
  std::optional<int64_t> registers;     // of a thread
  std::optional<int64_t> local_bytes;   // of a thread: spilled registers, and arrays that are indexed at run time
  std::optional<int64_t> shared_bytes;  // of a block
  std::optional<int64_t> block_threads;
  std::optional<double> occupancy;  // at most, a fraction
  std::string limited_by;           // "registers", "shared memory", "threads", "blocks"
};

struct Occupancy {
  double fraction = 0;
  const char* limited_by = "";
};

// None where the limits or the kernel's registers are not known, and of a block that does not fit.
std::optional<Occupancy> occupancy_of(const KernelResources& kernel, const ComputeUnitLimits& limits);

// The most time first. Pure.
std::vector<KernelUse> kernel_uses(const EventTable& events, const ComputeUnitLimits& limits);

void to_json(Json& json, const KernelUse& use);
void from_json(const Json& json, KernelUse& use);

}  // namespace aaco
