// SPDX-License-Identifier: MIT
// What rocprofiler-sdk is asked for, and where it goes. It can be asked once in a process, and before HIP's first call:
// what HIP did not register with it then is never seen. Nothing is stopped afterwards, since calls of HIP are not
// reliably seen again after that; what arrives while no collector runs is left.
#pragma once

#include <memory>
#include <mutex>

#include "device/gpu/hip/rocprofiler/rocprofiler_records.h"

namespace aaco::gpu {

struct RocprofilerStream {
  std::mutex mutex;                             // of what follows
  std::unique_ptr<RocprofilerRecords> records;  // while a collector runs
  KernelNames names;                            // of all code that HIP has loaded
};
RocprofilerStream& rocprofiler_stream();

// Initializes HIP. A failure is final for the process, and the same every time.
int32_t start_services();
// What is buffered reaches the records.
rocprofiler_status_t flush_buffer();

}  // namespace aaco::gpu
