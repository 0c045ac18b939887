// SPDX-License-Identifier: MIT
// Failures inside a vendor's module: decoded, one per thread, as the module's table hands them out.
#pragma once

#include <string>

#include "device/gpu/stream_context.h"
#include "device/module_api.h"

namespace aaco::gpu {

// Remembers `text` for this thread and returns `status`. Behind a newline in `text` stands what to do about it.
int32_t fail(AacoStatus status, std::string text, const char* file, int line);
// 0 for success; else the same with the call's name and its code decoded.
int32_t check(gpuError_t status, const char* call, const char* file, int line);
// A failure of before, with its text as failure_text() gave it, becomes this thread's.
int32_t fail_again(int32_t status, const std::string& text);
// What the stream keeps becomes this thread's failure.
int32_t report(const StreamContext& stream);
// Of this thread, the latest.
const char* failure_text();

// "cudaMalloc: cudaErrorMemoryAllocation (out of memory) at device/gpu/memory.cpp:12"
std::string describe(gpuError_t status, const char* call, const char* file, int line);
AacoStatus status_of(gpuError_t status);

}  // namespace aaco::gpu

#define AACO_GPU_FAIL(status, text) ::aaco::gpu::fail(status, text, __FILE__, __LINE__)
#define AACO_GPU_CHECK(call) ::aaco::gpu::check(call, #call, __FILE__, __LINE__)
#define AACO_GPU_TRY(call)                                                    \
  do {                                                                        \
    if (const int32_t aaco_status = AACO_GPU_CHECK(call); aaco_status != 0) { \
      return aaco_status;                                                     \
    }                                                                         \
  } while (false)
