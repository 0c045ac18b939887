// SPDX-License-Identifier: MIT
// The machine that the double pretends to be, from the environment:
//   AACO_HIP_DOUBLE_RUN       lockstep: kernels as C++ on the host (the default); code: as clang's machine code for
//   ARCH,
//                             gfx942 or gfx1100, in an interpreter
//   AACO_HIP_DOUBLE_LOG       with code: a file that gets a line of JSON for each launch
//   AACO_HIP_DOUBLE_SEED      with code: of the order in which waves advance (0)
//   AACO_HIP_DOUBLE_HIDDEN    with code: KIND:VALUE, a hidden argument that every kernel gets wrong
//   AACO_HIP_DOUBLE_KERNELS   folder of libaaco_lockstep_32.so and _64.so, which hold the kernels
//   AACO_HIP_DOUBLE_ARCH      gfx908, gfx90a, gfx942 (waves of 64 lanes; the default), gfx1030, gfx1100, gfx1201 (32)
//   AACO_HIP_DOUBLE_DEVICES   how many (2)
//   AACO_HIP_DOUBLE_MEMORY    bytes of each (1 GiB)
//   AACO_HIP_DOUBLE_FAIL      FUNCTION:CODE:N,...: the N-th call of FUNCTION fails with that code; "kernel" is the
//                             execution of a kernel, whose failure shows later
// Tests only.
#pragma once

#include <atomic>
#include <hip/hip_runtime_api.h>
#include <mutex>
#include <string>
#include <vector>

#include "device/gpu/lockstep/library.h"

namespace aaco::hip_double {

struct Device {
  std::atomic<hipError_t> failure = hipSuccess;  // of a kernel: nothing works on this device after it
  std::atomic<size_t> used_bytes = 0;
  std::atomic<uint64_t> peers = 0;  // bit i: the memory of device i is reachable
  std::mutex whole;                 // held by a kernel that takes all shared memory there is: one at a time
};

struct Machine {
  Machine();

  std::string architecture;
  bool runs_code = false;  // not in lockstep
  size_t memory_bytes = size_t{1} << 30;
  gpu::DeviceLimits limits;
  std::vector<Device> devices;
  const gpu::lockstep::Library* kernels = nullptr;
  std::string no_kernels;  // why not
};

Machine& machine();
// Of the calling thread.
int& current_device();

// The code that the environment wants this call to fail with; else hipSuccess.
hipError_t injected(const char* function);
// Keeps what a call of the API returns, for hipGetLastError of the calling thread.
hipError_t returns(hipError_t status);
hipError_t& last_error();
// On standard error: what the status cannot say.
void say(const std::string& text);

}  // namespace aaco::hip_double

// In observer.h.
namespace aaco::hip_double {
void register_with_profiler();
}

// At the start of each function of the API: fails where the environment wants it.
#define HIP_DOUBLE_CALL()                                                                       \
  ::aaco::hip_double::register_with_profiler();                                                 \
  if (const hipError_t wanted = ::aaco::hip_double::injected(__func__); wanted != hipSuccess) { \
    return ::aaco::hip_double::returns(wanted);                                                 \
  }
