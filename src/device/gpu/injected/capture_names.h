// SPDX-License-Identifier: MIT
// Names for kernels of replayed graphs: captures are watched, and PyTorch's modules and operators arrive through
// exported functions, which aaco's hook in Python calls (observe_hook/sitecustomize.py).
#pragma once

#include <cstdint>

namespace aaco::gpu {

struct CaptureCounts {
  uint64_t captures = 0;    // that the hook told of
  uint64_t unwatched = 0;   // of which another profiler was subscribed
  uint64_t compiled = 0;    // of which torch.compile made the code, which calls no modules
  uint64_t modules_ns = 0;  // of the hook in the program's threads, while captures ran
  uint64_t operators_ns = 0;
};

// At the collector's start. Where a framework is loaded that profiles itself by the one subscription that a process
// has, captures are watched only while the hook tells of one; else from now on.
void start_naming();
// At its end. Captures that the hook tells of are watched for a later recording.
void stop_naming();
CaptureCounts capture_counts();

// Whether torch.profiler has the process's records, as the hook tells it.
bool framework_profiler_runs();
// Whether it has ended since the last call.
bool framework_profiler_has_ended();

}  // namespace aaco::gpu
