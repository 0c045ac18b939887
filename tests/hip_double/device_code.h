// SPDX-License-Identifier: MIT
// The second way to launch (AACO_HIP_DOUBLE_RUN=code): kernels as clang compiled them for this machine's architecture,
// taken from the fat binary that host code registers, their arguments laid out by its metadata (tests/amd_code), run by
// an interpreter of the instruction set (tests/amd_isa). What a kernel reaches is what was allocated on its device, on
// peers of it, and pinned.
#pragma once

#include <string>

#include "queue.h"

namespace aaco::hip_double {

struct CodeLaunch {
  std::string kernel;  // as it was registered
  int device = 0;
  gpu::lockstep::LaunchShape shape;
};

// Of one registered fat binary.
class DeviceCode {
 public:
  DeviceCode() = default;
  DeviceCode(const DeviceCode&) = delete;
  DeviceCode& operator=(const DeviceCode&) = delete;
  virtual ~DeviceCode() = default;

  // What runs the kernel with a copy of these arguments, as often as it is called; or nothing, and why.
  virtual Work prepare(const CodeLaunch& launch, const void* const* arguments, std::string& failure) const = 0;
};

// What libhip_double_code.so exports; a library of its own, since LLVM's comes with it. Null, and why: no code for this
// architecture, or damaged code. The caller deletes it.
using OpenDeviceCode = DeviceCode* (*)(const void* bundle, const std::string& architecture, std::string& failure);
inline constexpr const char* kOpenDeviceCode = "aaco_hip_double_open_code";

}  // namespace aaco::hip_double
