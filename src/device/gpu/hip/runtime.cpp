// SPDX-License-Identifier: MIT
// vendor_runtime.h for HIP.
#include <cstdio>
#include <string>
#include <string_view>

#include "device/gpu/libraries/vendor_library.h"
#include "device/gpu/vendor_runtime.h"

namespace aaco::gpu {

const char* const kBackend = "hip";
const gpuError_t kOutOfMemory = hipErrorOutOfMemory;
const gpuError_t kDriverTooOld = hipErrorInsufficientDriver;
const char* const kCollectivesName = "RCCL";
const LibraryRequest kCollectives{
    .names = {"librccl.so.1"},
    .folders = {"lib"},
    .home = "ROCM_PATH",
    .python_folder = "",
    .remedy = "install RCCL (ROCm's package rccl), or set ROCM_PATH to where ROCm lies",
};

namespace {

// 70151831 is 7.1.51831.
std::string hip_version(int version) {
  return std::to_string(version / 10'000'000) + '.' + std::to_string(version / 100'000 % 100) + '.' +
         std::to_string(version % 100'000);
}

// Those that matrix_unit.h is written for.
bool has_matrix_units(std::string_view architecture) {
  return architecture == "gfx908" || architecture == "gfx90a" || architecture == "gfx942";
}

}  // namespace

gpuError_t allocate_pinned(void** memory, size_t bytes) {
  return hipHostMalloc(memory, bytes, hipHostMallocPortable | hipHostMallocMapped | hipHostMallocCoherent);
}
gpuError_t free_pinned(void* memory) { return hipHostFree(memory); }
const char* const kFreePinnedName = "hipHostFree";

// HIP names streams by their handles.
gpuError_t id_of_stream(gpuStream_t stream, uint64_t* id) {
  *id = reinterpret_cast<uint64_t>(stream);
  return hipSuccess;
}

gpuError_t describe_device(int32_t index, DeviceLimits& limits, AacoDeviceProperties& properties) {
  hipDeviceProp_t device{};
  int driver = 0;
  int runtime = 0;
  int clock_khz = 0;
  for (const gpuError_t status :
       {hipGetDeviceProperties(&device, index), hipDriverGetVersion(&driver), hipRuntimeGetVersion(&runtime),
        hipDeviceGetAttribute(&clock_khz, hipDeviceAttributeWallClockRate, index)}) {
    if (status != hipSuccess) {
      return status;
    }
  }
  if (clock_khz <= 0) {  // then no kernel can tell the time
    return hipErrorNotSupported;
  }
  limits.compute_units = device.multiProcessorCount;
  limits.wave_lanes = device.warpSize;
  limits.clock_khz = clock_khz;
  limits.shared_bytes = device.sharedMemPerBlock;
  std::snprintf(properties.name, sizeof(properties.name), "%s", device.name);
  // "gfx90a:sramecc+:xnack-": the part before the colon is the architecture
  const std::string architecture(device.gcnArchName);
  std::snprintf(properties.architecture, sizeof(properties.architecture), "%s",
                architecture.substr(0, architecture.find(':')).c_str());
  limits.matrix_units = has_matrix_units(properties.architecture);
  std::snprintf(properties.driver, sizeof(properties.driver), "HIP %s", hip_version(driver).c_str());
  std::snprintf(properties.runtime, sizeof(properties.runtime), "HIP %s", hip_version(runtime).c_str());
  properties.memory_bytes = static_cast<int64_t>(device.totalGlobalMem);
  properties.compute_units = device.multiProcessorCount;
  properties.wave_lanes = device.warpSize;
  std::snprintf(properties.pci, sizeof(properties.pci), "%04x:%02x:%02x.0", static_cast<unsigned>(device.pciDomainID),
                static_cast<unsigned>(device.pciBusID), static_cast<unsigned>(device.pciDeviceID));
  return hipSuccess;
}

}  // namespace aaco::gpu
