// SPDX-License-Identifier: MIT
// What a profiler of the double is told, and how it comes to be: as rocprofiler-register does it, at the process's
// first call of the runtime, once, where a profiler has asked to be found (ROCPROFILER_REGISTER_FORCE_LOAD).
#pragma once

#include "queue.h"

namespace aaco::hip_double {

// Work on a device that has ended. Times of CLOCK_MONOTONIC.
struct WorkRecord {
  std::string kernel;  // its mangled name; empty: a copy
  hipMemcpyKind direction = hipMemcpyDefault;
  size_t bytes = 0;
  int device = 0;
  int64_t start_ns = 0;
  int64_t end_ns = 0;
};

// Filled by the profiler, in the place of HIP's table of functions.
struct Observer {
  uint64_t (*begin_call)(const char* function, hipStream_t stream) = nullptr;  // its correlation
  void (*end_call)(uint64_t correlation, const char* function, hipStream_t stream) = nullptr;
  // Between them work that the call has enqueued is not done.
  void (*hold)(uint64_t correlation) = nullptr;
  void (*release)(uint64_t correlation) = nullptr;
  void (*executed)(uint64_t correlation, const WorkRecord& work) = nullptr;
};

// At each call of the runtime.
void register_with_profiler();

// A call that starts work, or waits for it. Correlates what is submitted until it ends.
class ObservedCall {
 public:
  ObservedCall(const char* function, hipStream_t stream);
  ObservedCall(const ObservedCall&) = delete;
  ObservedCall& operator=(const ObservedCall&) = delete;
  ~ObservedCall();

 private:
  const char* function_;
  hipStream_t stream_;
  uint64_t correlation_ = 0;
  uint64_t outer_ = 0;
};

// Work that tells of itself when it has run.
Work observed(WorkRecord what, Work work);
// Submitted work that runs for the call that is under way.
Work correlated(Work work);

}  // namespace aaco::hip_double
