// SPDX-License-Identifier: MIT
// What a device did, record by record, as a collector of a vendor hands it over: plain data, so that it may cross the
// boundary of a module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace aaco {

enum class ActivityKind : uint32_t {
  kKernel,
  kCopy,
  kSet,
  kLaunchCall,  // of the host: start and end of the call that enqueued; same correlation as what it started
  kSync,        // of the host
};

inline constexpr uint64_t kNoCorrelation = ~uint64_t{0};

// What a launch of a kernel takes of a compute unit. All 0 where the collector does not tell.
struct KernelResources {
  uint32_t registers = 0;  // of a thread; 0: not told
  uint32_t block_threads = 0;
  uint32_t shared_bytes = 0;  // of a block, static and dynamic
  uint32_t local_bytes = 0;   // of a thread: spilled registers, and arrays that are indexed at run time
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
  uint32_t graph_node = 0;  // 0: not from a graph
  ActivityKind kind = ActivityKind::kKernel;
  KernelResources kernel;  // of kernels
};

// Takes records from any thread.
class ActivitySink {
 public:
  void push(const ActivityRecord* records, size_t count);
  uint32_t intern(std::string_view name);
  // The collector lost so many.
  void dropped(uint64_t count);

  // After the collector's flush.
  std::vector<ActivityRecord> take();
  std::string name(uint32_t id) const;
  uint64_t dropped_count() const;

 private:
  mutable std::mutex mutex_;
  std::vector<ActivityRecord> records_;
  std::deque<std::string> names_;  // stays where it is
  std::map<std::string_view, uint32_t> ids_;
  uint64_t dropped_ = 0;
};

}  // namespace aaco
