// SPDX-License-Identifier: MIT
// What the double of rocprofiler-sdk holds. Everything is of one context and one buffer. Tests only.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "device/gpu/hip/rocprofiler/rocprofiler_api.h"
#include "observer.h"

namespace aaco::hip_double {

constexpr uint64_t kAheadNs = 3'600'000'000'000;  // of its clock

struct Callback {
  rocprofiler_callback_tracing_cb_t function = nullptr;
  void* data = nullptr;
  std::vector<rocprofiler_tracing_operation_t> operations;  // none: all
};

struct Record {
  rocprofiler_buffer_tracing_kind_t kind;
  std::vector<char> payload;
};

struct Profiler {
  std::atomic<bool> configuring = false;
  std::atomic<bool> configured = false;
  std::atomic<bool> started = false;
  std::map<int, Callback> callbacks;  // written while configuring
  std::map<int, bool> buffered;
  rocprofiler_buffer_tracing_cb_t deliver = nullptr;
  void* deliver_data = nullptr;

  std::mutex mutex;  // of what follows
  std::vector<Record> records;
  std::map<uint64_t, int> holds;  // by correlation: the call itself, and its work
  std::map<std::string, uint64_t> kernels;
  std::deque<std::pair<std::chrono::steady_clock::time_point, std::function<void()>>> coming;
  std::condition_variable changed;
  uint64_t correlations = 0;
  uint64_t dispatches = 0;
  uint64_t dropped = 0;

  std::mutex flushing;
};

Profiler& profiler();
// 0 where it is not set.
int from_environment(const char* name);
rocprofiler_agent_id_t agent_of(int device);

// Calls the callback that is registered for this kind and operation, once the context has started.
void tell(rocprofiler_callback_tracing_kind_t kind, rocprofiler_tracing_operation_t operation,
          rocprofiler_callback_phase_t phase, void* payload, uint64_t correlation = 0,
          rocprofiler_user_data_t* user = nullptr);
// What becomes records of what the double of HIP does; begins the thread that brings them.
Observer begin_observing();

}  // namespace aaco::hip_double
