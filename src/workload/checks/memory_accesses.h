// SPDX-License-Identifier: MIT
// What a command of a program reads and writes, whatever kind of command it is.
#pragma once

#include <vector>

#include "workload/program.h"

namespace aaco {

struct MemoryAccess {
  uintptr_t start = 0;
  uintptr_t end = 0;
  int64_t pitch_bytes = 0;  // as in OpArray
  int64_t row_bytes = 0;
  int32_t stream = 0;
  bool writes = false;
};

// `world` as in find_hazards.
std::vector<MemoryAccess> accesses_of(const Program& program, const Command& command, int32_t world);

// Whether both may touch the same byte.
bool overlap(const MemoryAccess& a, const MemoryAccess& b);

// "gemm", "copy", "all_reduce".
const char* name_of(const Program& program, const Command& command);

}  // namespace aaco
