// SPDX-License-Identifier: MIT
// Loops of nothing but independent multiply-add instructions, as assembly: what is measured does not depend on how this
// program was compiled. Every accumulator starts at 0 and every step adds 1 * 1, so that the sum of all accumulators
// *is* the number of multiply-adds executed.
#pragma once

#include <cstdint>
#include <span>

#include "observe/roofs/cpu_features.h"

namespace aaco {

enum class Lane { kFloat64, kFloat32, kFloat16, kInt32 };

struct MultiplyAddKernel {
  const char* precision;     // "fp64", "fp32", "fp16", "bf16", "int8"
  const char* instructions;  // "avx512f vfmadd231pd"
  bool CpuFeatures::* needs;
  Lane lane;         // of the accumulators
  int64_t lanes;     // of all accumulators together
  int64_t per_lane;  // multiply-adds that one step adds to each lane
  // From this value on an accumulator no longer counts: a float's last integer, where 16-bit ones stay for good.
  int64_t exact_up_to;
  // Runs `steps` steps and stores the accumulators. `ones`: 64 bytes of the input type's 1.
  void (*run)(uint64_t steps, const void* ones, void* accumulators);
  const void* ones;

  // Two operations each, a multiplication and an addition.
  double operations(uint64_t steps) const {
    return 2.0 * static_cast<double>(lanes * per_lane) * static_cast<double>(steps);
  }
};

std::span<const MultiplyAddKernel> multiply_add_kernels();

// The most steps whose count the accumulators hold (fp16: any number, as its accumulators stay at their last integer).
uint64_t most_steps(const MultiplyAddKernel& kernel);

struct MultiplyAddRun {
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  double sum = 0;      // of all accumulators
  bool exact = false;  // every accumulator holds what `steps` steps give
};
// The processor must have the kernel's instructions.
MultiplyAddRun run_multiply_add(const MultiplyAddKernel& kernel, uint64_t steps);

}  // namespace aaco
