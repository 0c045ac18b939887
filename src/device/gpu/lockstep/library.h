// SPDX-License-Identifier: MIT
// What a lockstep library exports. Tests and the test double of the HIP runtime open it with dlopen; they must be built
// by the same compiler.
#pragma once

#include <cstdint>
#include <string>

#include "device/gpu/lockstep/kernel.h"

namespace aaco::gpu::lockstep {

struct Library {
  int32_t lanes;
  const Kernel* (*find)(const char* mangled_name);
  // Empty, or what went wrong. `args` need not be aligned.
  std::string (*run)(const Kernel& kernel, const DeviceLimits& limits, const LaunchShape& shape, const void* args);
  void (*set_order)(Order order);
};

inline constexpr const char* kLibraryEntry = "aaco_lockstep_library";
using LibraryEntry = const Library* (*)();

}  // namespace aaco::gpu::lockstep
