// SPDX-License-Identifier: MIT
// A stream of a vendor as kernels and libraries are given it: the vendor's handle, its device, and its first failure.
// The lockstep build uses the same with a handle of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "device/gpu/vendor.h"

namespace aaco::gpu {

struct DeviceContext;  // device_context.h

struct Dim3 {
  uint32_t x = 1;
  uint32_t y = 1;
  uint32_t z = 1;
};

// What a launch may have to know of its device.
struct DeviceLimits {
  int32_t index = 0;
  int32_t compute_units = 1;
  int32_t wave_lanes = 32;                  // of this device; host code must not use kWaveLanes
  bool matrix_units = false;                // matrix_unit.h works
  bool warpgroups = false;                  // cuda/warpgroup.h works
  bool dependent_launches = false;          // launch_behind gains something
  int32_t clock_khz = 1'000'000;            // ticks of clock_ticks() in a millisecond
  size_t shared_bytes = size_t{48} * 1024;  // the most that a block may be given
};

struct StreamContext {
  gpuStream_t stream{};
  DeviceContext* device = nullptr;
  DeviceLimits limits;
  std::shared_ptr<void> gemm;  // the GEMM library's own for this stream, made on first use
  std::shared_ptr<void> conv;  // the convolution library's

  // The first failure, decoded: "cudaLaunchKernel: cudaErrorInvalidValue (invalid argument) at
  // kernels/rows/norm.cu:12". Nothing is enqueued after it.
  std::string failure;
  int32_t failure_status = 0;  // AacoStatus

  bool failed() const { return failure_status != 0; }
  // Keeps `status` of `call` where it is one, and is the first.
  void keep(gpuError_t status, const char* call, const char* file, int line);
  // The same for what is not a status of the vendor's runtime.
  void keep_text(int32_t aaco_status, std::string text, const char* file, int line);
};

}  // namespace aaco::gpu
