// SPDX-License-Identifier: MIT
// What a device did, record by record, on its way from a collector into an event table (activity_sink.h): plain data,
// so that it may cross the boundary of a module. Nothing else has such records.
#pragma once

#include <cstddef>
#include <cstdint>

namespace aaco {

enum class ActivityKind : uint32_t {
  kKernel,
  kCopy,
  kSet,
  kLaunchCall,  // of the host: start and end of the call that enqueued; same correlation as what it started
  kSync,        // of the host
  kCapture,     // of the host: from here, or up to here, launches are kept for a graph and start nothing
  kRange,       // of the host: the program's own, by its correlation told from others
  kOpenRange,   // the same, as long as it has no end
  kMark,        // of the host: a moment that the program names
  kGraph,       // a replayed graph as a whole: what ran within it was not recorded
  kThreadName,  // no event: what the thread is called whose first record follows
};
inline constexpr ActivityKind kLastActivityKind = ActivityKind::kThreadName;

inline constexpr uint64_t kNoCorrelation = ~uint64_t{0};
inline constexpr uint32_t kNoName = ~uint32_t{0};

// What a launch of a kernel takes of a compute unit. All 0 where the collector does not tell.
struct KernelResources {
  uint32_t registers = 0;  // of a thread; 0: not told
  uint32_t block_threads = 0;
  uint32_t shared_bytes = 0;  // of a block, static and dynamic
  uint32_t local_bytes = 0;   // of a thread: spilled registers, and arrays that are indexed at run time
  uint64_t blocks = 0;        // of the launch; 0: not told
};

// What a compute unit of a device has; 0: not known.
struct ComputeUnitLimits {
  int32_t registers = 0;
  int32_t threads = 0;
  int32_t blocks = 0;
  int32_t wave_lanes = 0;
  int64_t shared_bytes = 0;
  int64_t reserved_shared_bytes = 0;  // of each block, for the driver's use
};

// Times are nanoseconds of the session clock (CLOCK_MONOTONIC); a collector converts before it pushes.
struct ActivityRecord {
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  uint64_t correlation = kNoCorrelation;
  uint64_t stream = 0;  // Stream::native_id(); of host records the thread
  uint64_t bytes = 0;   // of copies and sets
  uint32_t name = 0;    // ActivitySink::intern()
  uint32_t device = 0;
  uint64_t graph_node = 0;  // 0: not from a graph
  ActivityKind kind = ActivityKind::kKernel;
  uint32_t label = kNoName;  // another name: of ranges and marks their domain, of work of a graph where it was captured
  KernelResources kernel;    // of kernels
};

}  // namespace aaco
