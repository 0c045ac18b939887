// SPDX-License-Identifier: MIT
// Arguments of the kernels that measure the machine rather than compute.
#pragma once

#include "device/ops/dtype.h"

namespace aaco {

// What a spin kernel leaves: times of the device's own clock, nanoseconds (CUDA globaltimer; HIP wall_clock64 scaled;
// the host's monotonic clock on CPU), of its first block's start and its last block's end. The sums are over its blocks
// and modulo 2^64: less `blocks` times start_ns or end_ns they are exact.
struct SpinStamp {
  uint64_t start_ns = 0;
  uint64_t end_ns = 0;
  uint64_t start_sum_ns = 0;
  uint64_t end_sum_ns = 0;
  uint64_t blocks = 0;
};
// As it must be before a kernel writes it.
inline constexpr SpinStamp kUnwrittenStamp{~uint64_t{0}, 0, 0, 0, 0};

// Busy for duration_ns. blocks 0: as many as fill the device so that no two such kernels can be co-resident (each takes
// the most shared memory a block may have); else that many small blocks. `stamp`, where not null, must be
// kUnwrittenStamp before.
struct SpinArgs {
  SpinStamp* stamp = nullptr;
  int64_t duration_ns = 0;
  int32_t blocks = 0;
};

// Waits until *flag (host memory, pinned) is at least `value`, at most timeout_ns; *timed_out is set to 1 otherwise.
struct GateArgs {
  const uint32_t* flag = nullptr;
  uint32_t* timed_out = nullptr;
  uint32_t value = 1;
  int64_t timeout_ns = 10'000'000'000;
};

// Does nothing: the cost of a launch.
struct NullArgs {
  int32_t unused = 0;
};

}  // namespace aaco
