// SPDX-License-Identifier: MIT
// rocprofiler-sdk wants a tool to be registered before HIP is loaded, by a library of its own; that is not built yet.
#include "device/gpu/failure.h"
#include "device/gpu/module_functions.h"

namespace aaco::gpu {

int32_t collector_start(const AacoSink*, void**) noexcept {
  return AACO_GPU_FAIL(kAacoUnavailable,
                       "per-kernel records of AMD devices are not collected in this process\nrun it under rocprofv3 "
                       "(--with rocprofv3) and import what that wrote");
}

int32_t collector_flush(void*) noexcept { return collector_start(nullptr, nullptr); }
int32_t collector_stop(void*) noexcept { return collector_start(nullptr, nullptr); }

}  // namespace aaco::gpu
