// SPDX-License-Identifier: MIT
// rocprofiler-sdk's records as ours. Its records of kernels name a queue, not a stream: the stream is that of the call
// which started them, found by the correlation. Where the call is not one that we know, or launches a graph, whose
// branches run on queues of HIP's choice, the record keeps the queue's number as its stream, which is no stream's.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "device/gpu/activity_batch.h"
#include "device/gpu/hip/rocprofiler/agent_devices.h"
#include "device/gpu/hip/rocprofiler/hip_calls.h"
#include "device/gpu/hip/rocprofiler/rocprofiler_api.h"

namespace aaco::gpu {

// By the number that records of kernels have for them.
using KernelNames = std::unordered_map<uint64_t, std::string>;

// Not thread-safe.
class RocprofilerRecords {
 public:
  // Of what begins from now on. rocprofiler's clock is ahead of the session's by `clock_ahead_ns`. `names` outlives
  // this, and may grow.
  RocprofilerRecords(const AacoSink& sink, AgentDevices devices, int64_t clock_ahead_ns, const KernelNames& names)
      : batch_(sink),
        devices_(std::move(devices)),
        clock_ahead_ns_(clock_ahead_ns),
        begun_ns_(monotonic_ns()),
        names_(names) {}

  int64_t clock_ahead_ns() const { return clock_ahead_ns_; }
  // Before anything that the call starts can end.
  void begin_call(const HipCall& call, uint64_t correlation, const rocprofiler_hip_api_args_t& args);
  void end_call(const HipCall& call, uint64_t correlation, uint64_t thread, int64_t start_ns, int64_t end_ns);
  void add(const rocprofiler_record_header_t& record);
  void drop(uint64_t count) { batch_.drop(count); }
  void hand_over() { batch_.hand_over(); }

  // Calls of which records may still come.
  std::vector<uint64_t> open_calls() const;
  bool any_open(const std::vector<uint64_t>& calls) const;
  // Those of `calls` that are open still count as dropped, a record each.
  void give_up(const std::vector<uint64_t>& calls);

 private:
  struct OpenCall {
    uint64_t stream = 0;
    bool graph = false;
  };

  void add_kernel(const rocprofiler_buffer_tracing_kernel_dispatch_record_t& kernel);
  void add_copy(const RocprofilerCopy& copy);
  void add_work(ActivityRecord record);
  int64_t session_ns(rocprofiler_timestamp_t time) const;
  uint32_t name_of_kernel(uint64_t kernel);

  ActivityBatch batch_;
  AgentDevices devices_;
  int64_t clock_ahead_ns_;
  int64_t begun_ns_;
  const KernelNames& names_;
  std::unordered_map<uint64_t, OpenCall> open_;  // by correlation
};

}  // namespace aaco::gpu
