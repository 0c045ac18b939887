// SPDX-License-Identifier: MIT
// The functions of rocprofiler-sdk 1 (ROCm 7) that we call, opened at run time. Types come from its headers. Of those
// only a part may be installed, so what that part lacks is declared here under names of our own: checked against
// buffer_tracing.h, context.h and rocprofiler.h of its public sources, 1.0 to 1.3. Its version 0 (ROCm 6) has other
// records and numbers, and is not opened.
#pragma once

#include <rocprofiler-sdk/agent.h>
#include <rocprofiler-sdk/buffer.h>
#include <rocprofiler-sdk/buffer_tracing.h>
#include <rocprofiler-sdk/callback_tracing.h>
#include <rocprofiler-sdk/fwd.h>
#include <rocprofiler-sdk/registration.h>

#include "device/gpu/libraries/vendor_library.h"

namespace aaco::gpu {

// rocprofiler_buffer_tracing_memory_copy_record_t: the part before the addresses.
struct RocprofilerCopy {
  uint64_t size;
  rocprofiler_buffer_tracing_kind_t kind;
  rocprofiler_memory_copy_operation_t operation;
  rocprofiler_async_correlation_id_t correlation_id;
  rocprofiler_thread_id_t thread_id;
  rocprofiler_timestamp_t start_timestamp;
  rocprofiler_timestamp_t end_timestamp;
  rocprofiler_agent_id_t to_agent;
  rocprofiler_agent_id_t from_agent;
  uint64_t bytes;
};

// rocprofiler_buffer_tracing_correlation_id_retirement_record_t: the call and all that it started have ended, and
// their records are in front of this one.
struct RocprofilerRetirement {
  uint64_t size;
  rocprofiler_buffer_tracing_kind_t kind;
  rocprofiler_timestamp_t timestamp;
  uint64_t correlation;
};

struct RocprofilerApi {
  VendorLibrary library;
  decltype(&rocprofiler_force_configure) force_configure = nullptr;
  rocprofiler_status_t (*create_context)(rocprofiler_context_id_t* context) = nullptr;
  rocprofiler_status_t (*start_context)(rocprofiler_context_id_t context) = nullptr;
  decltype(&rocprofiler_create_buffer) create_buffer = nullptr;
  decltype(&rocprofiler_flush_buffer) flush_buffer = nullptr;
  decltype(&rocprofiler_configure_buffer_tracing_service) configure_buffer_tracing_service = nullptr;
  decltype(&rocprofiler_configure_callback_tracing_service) configure_callback_tracing_service = nullptr;
  decltype(&rocprofiler_query_available_agents) query_available_agents = nullptr;
  rocprofiler_status_t (*get_timestamp)(rocprofiler_timestamp_t* now) = nullptr;
  const char* (*get_status_name)(rocprofiler_status_t status) = nullptr;

  RocprofilerApi();
};

// Opened on first use.
RocprofilerApi& rocprofiler();

// Becomes this thread's failure, with its code decoded; the AacoStatus of it.
int32_t fail_rocprofiler(rocprofiler_status_t status, const char* call, const char* file, int line);

}  // namespace aaco::gpu

#define AACO_ROCPROFILER_TRY(call)                                                        \
  do {                                                                                    \
    if (const rocprofiler_status_t result = call; result != ROCPROFILER_STATUS_SUCCESS) { \
      return ::aaco::gpu::fail_rocprofiler(result, #call, __FILE__, __LINE__);            \
    }                                                                                     \
  } while (false)
