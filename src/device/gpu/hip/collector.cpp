// SPDX-License-Identifier: MIT
// The collector of a module that was built without rocprofiler-sdk's headers; rocprofiler/ has that of one with them.
#include "device/gpu/failure.h"
#include "device/gpu/module_functions.h"

namespace aaco::gpu {

int32_t collector_start(const AacoSink*, void**) noexcept {
  return AACO_GPU_FAIL(kAacoUnavailable,
                       "per-kernel records of AMD devices are not collected: the HIP module was built without the "
                       "headers of rocprofiler-sdk\nbuild it where they are (scripts/setup --tools), or run it under "
                       "rocprofv3 (--with rocprofv3)");
}

int32_t collector_flush(void*) noexcept { return collector_start(nullptr, nullptr); }
int32_t collector_stop(void*) noexcept { return collector_start(nullptr, nullptr); }

}  // namespace aaco::gpu
