// SPDX-License-Identifier: MIT
// The calls of HIP that rocprofiler-sdk is asked to tell of: those that start work, with the stream that it goes to,
// and those that wait for it.
#pragma once

#include <rocprofiler-sdk/hip/api_args.h>
#include <rocprofiler-sdk/hip/runtime_api_id.h>
#include <vector>

#include "record/device/activity_record.h"

namespace aaco::gpu {

struct HipCall {
  rocprofiler_hip_runtime_api_id_t id;
  const char* name;
  ActivityKind kind;  // kLaunchCall, kSync
  bool graph;         // starts work on streams of HIP's own choice
  hipStream_t (*stream)(const rocprofiler_hip_api_args_t& args);
};
extern const std::vector<HipCall> kHipCalls;

// Null for any other.
const HipCall* hip_call_of(rocprofiler_tracing_operation_t operation);

}  // namespace aaco::gpu
