// SPDX-License-Identifier: MIT
// How many waves a SIMD of an AMD device can hold of a kernel at once, from what each wave takes.
//
// A SIMD has a file of vector registers that its waves share in granules, and slots for a number of waves; the SIMDs of
// a compute unit (of a work-group processor on RDNA, in whose mode clang compiles) share the LDS, of which each block
// takes its own. Sources: AMD's "MI300 Instruction Set Architecture" (registers and their allocation: 512 of each lane
// in granules of 8, AGPRs among them) and "RDNA3 Instruction Set Architecture" (allocation of VGPRs and LDS), GPUOpen's
// "Occupancy explained" (1536 registers a SIMD and 16 waves on Navi 31), ROCm's "Accelerator and GPU hardware
// specifications" (sizes of files and of LDS). Scalar registers limit waves on CDNA alone: 800 a SIMD in granules
// of 16.
//
// LLVM's compiler says the same of a kernel ("; Occupancy:" of -S), but that it does not round LDS up to the granules
// that the hardware gives out.
#pragma once

#include <cstdint>
#include <string>

#include "kernel_metadata.h"

namespace aaco::amd {

struct Occupancy {
  std::uint32_t by_vector_registers = 0;
  std::uint32_t by_scalar_registers = 0;
  std::uint32_t by_lds = 0;  // for blocks of the most threads that the kernel allows
  std::uint32_t waves = 0;   // the least of them
  std::uint32_t most = 0;    // that a SIMD has room for
};

// `dynamic_lds_bytes` are added to the kernel's own. All zero for an architecture that is not known here.
Occupancy occupancy_of(const std::string& architecture, const KernelMetadata& kernel,
                       std::uint32_t dynamic_lds_bytes = 0);

}  // namespace aaco::amd
