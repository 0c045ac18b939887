// SPDX-License-Identifier: MIT
// What an operation does to memory and how much it computes, told from its arguments alone. From this come the FLOPs
// and bytes of a workload, the check of its streams for races, and the check of each kernel against the CPU.
#pragma once

#include <cstddef>
#include <vector>

#include "device/ops/op_list.h"

namespace aaco {

// kScratch: written and read again by the operation itself; what it leaves there means nothing.
enum class Access : uint8_t { kRead, kWrite, kReadWrite, kScratch };

// One array that the operation touches: `pointer_offset` is where in the arguments its pointer stands (null pointers
// are not listed). Strided arrays are given as the bytes from their first element to the end of their last.
// `bytes_used` is how many of these are touched at least once, what the ideal memory traffic counts.
struct OpArray {
  size_t pointer_offset = 0;
  const void* pointer = nullptr;
  int64_t bytes = 0;
  int64_t bytes_used = 0;
  int64_t pitch_bytes = 0;  // of a strided array: from row to row, of which row_bytes are touched; 0: all of it
  int64_t row_bytes = 0;
  Access access = Access::kRead;
  Dtype dtype = Dtype::kF32;
};

struct OpWork {
  double flops = 0;  // a multiply-add is two; exp, division and the like one each; indices and copies none
  std::vector<OpArray> arrays;
  bool order_free = true;  // false: sums in an order that is not fixed, so results differ in their last bits
};

// "gemm"
const char* name_of(OpId op);
size_t size_of_args(OpId op);
OpWork work_of(OpId op, const void* args);
// The operation on the host, by the calling thread alone, on host memory.
void run_on_cpu(OpId op, const void* args);

// *_work.cpp here and kernels/*/*_cpu.cpp define these.
#define AACO_OP_FUNCTIONS(Name, text)     \
  OpWork work_of(const Name##Args& args); \
  void run_on_cpu(const Name##Args& args);
AACO_OPS(AACO_OP_FUNCTIONS)
#undef AACO_OP_FUNCTIONS

}  // namespace aaco
