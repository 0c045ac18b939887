// SPDX-License-Identifier: MIT
// Proves that a program's streams do not race: whatever two commands touch the same memory, one of them writing, must
// be ordered by their stream, by events, or by the host. Two iterations back to back are looked at, as they are
// enqueued without a synchronisation in between.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "workload/program.h"

namespace aaco {

struct Hazard {
  size_t first = 0;  // of commands(); counted on in the second iteration
  size_t second = 0;
  std::string text;  // "gemm (command 3, stream 1) writes what relu (command 7, stream 2) reads"
};

// At most `most` of them. `world`: ranks of the collectives that do not say theirs, where they are more than the
// program's (emulated).
// Order by vector clocks (Fidge 1988, Mattern 1989): stream by stream, joined by record and wait. Strided arrays that
// interleave with the same pitch do not conflict where their columns are apart.
std::vector<Hazard> find_hazards(const Program& program, int32_t world, size_t most = 10);

}  // namespace aaco
