// SPDX-License-Identifier: MIT
// What a compiler says of the kernels in the HIP module: registers and spills, without a GPU and without a tool.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace aaco {

struct CompiledKernel {
  std::string name;           // demangled, without arguments
  int64_t vgprs = 0;          // of a lane, accumulation registers among them where both are one file (CDNA2 and newer)
  int64_t sgprs = 0;          // of a wave
  int64_t spilled = 0;        // vector registers that are kept in memory
  int64_t lds_bytes = 0;      // of a workgroup, as far as the compiler knows
  int64_t scratch_bytes = 0;  // of a lane
};

// Of the code objects for `architecture` ("gfx942") in the bytes of a module, in their order; empty where it has none.
// Bytes that are no module, or are damaged, give what of them can be read.
std::vector<CompiledKernel> compiled_kernels(std::string_view module, std::string_view architecture);

// Of libaaco_hip.so, where modules are looked for. Errors: kUnavailable where it is not there, or has nothing for it.
Result<std::vector<CompiledKernel>> compiled_hip_kernels(std::string_view architecture);

// How many waves share a SIMD of CDNA2 and CDNA3 by their vector registers alone: 512 for each lane, given in steps of
// 8, and 8 waves at most (AMD Instinct MI300 ISA reference, chapter on wavefront state).
int64_t cdna_waves(const CompiledKernel& kernel);

}  // namespace aaco
