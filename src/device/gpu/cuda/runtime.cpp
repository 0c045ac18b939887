// SPDX-License-Identifier: MIT
// vendor_runtime.h for CUDA.
#include <cstdio>

#include "device/gpu/cuda/activity.h"
#include "device/gpu/libraries/vendor_library.h"
#include "device/gpu/vendor_runtime.h"

namespace aaco::gpu {

const char* const kBackend = "cuda";
const gpuError_t kOutOfMemory = cudaErrorMemoryAllocation;
const gpuError_t kDriverTooOld = cudaErrorInsufficientDriver;
const char* const kCollectivesName = "NCCL";
const LibraryRequest kCollectives{
    .names = {"libnccl.so.2"},
    .folders = {"lib64", "lib"},
    .home = "NCCL_HOME",
    .python_folder = "nvidia/*/lib",
    .remedy =
        "install NCCL (Debian: libnccl2; Python: pip install nvidia-nccl-cu13), or name its folder in "
        "AACO_NVIDIA_LIBRARIES",
};

namespace {

// The driver's own version, as the vendor's tools print it; empty without NVML.
std::string driver_of_nvml() {
  LibraryRequest request;  // comes with the driver, on the loader's path
  request.names = {"libnvidia-ml.so.1"};
  VendorLibrary library(request);
  int (*init)() = nullptr;
  int (*version)(char*, unsigned) = nullptr;
  library.find(init, "nvmlInit_v2");
  library.find(version, "nvmlSystemGetDriverVersion");
  char text[80] = "";
  if (!library || init() != 0 || version(text, sizeof(text)) != 0) {
    return "";
  }
  return text;
}

std::string cuda_version(int version) {  // 13000 is 13.0
  return std::to_string(version / 1000) + '.' + std::to_string(version % 1000 / 10);
}

}  // namespace

gpuError_t allocate_pinned(void** memory, size_t bytes) { return cudaHostAlloc(memory, bytes, cudaHostAllocPortable); }
gpuError_t free_pinned(void* memory) { return cudaFreeHost(memory); }
const char* const kFreePinnedName = "cudaFreeHost";
gpuError_t id_of_stream(gpuStream_t stream, uint64_t* id) { return id_in_activity(stream, id); }

gpuError_t describe_device(int32_t index, DeviceLimits& limits, AacoDeviceProperties& properties) {
  cudaDeviceProp device{};
  int driver = 0;
  int runtime = 0;
  for (const gpuError_t status :
       {cudaGetDeviceProperties(&device, index), cudaDriverGetVersion(&driver), cudaRuntimeGetVersion(&runtime)}) {
    if (status != cudaSuccess) {
      return status;
    }
  }
  limits.compute_units = device.multiProcessorCount;
  limits.wave_lanes = device.warpSize;
  limits.matrix_units = device.major >= 8;
  limits.warpgroups = device.major == 9;
  limits.dependent_launches = device.major >= 9;
  limits.shared_bytes = device.sharedMemPerBlockOptin;
  const std::string nvml = driver_of_nvml();
  std::snprintf(properties.name, sizeof(properties.name), "%s", device.name);
  std::snprintf(properties.architecture, sizeof(properties.architecture), "sm_%d%d", device.major, device.minor);
  std::snprintf(properties.driver, sizeof(properties.driver), "%s%sCUDA %s", nvml.c_str(), nvml.empty() ? "" : ", ",
                cuda_version(driver).c_str());
  std::snprintf(properties.runtime, sizeof(properties.runtime), "CUDA %s", cuda_version(runtime).c_str());
  properties.memory_bytes = static_cast<int64_t>(device.totalGlobalMem);
  properties.compute_units = device.multiProcessorCount;
  properties.wave_lanes = device.warpSize;
  properties.compute_unit = {.registers = device.regsPerMultiprocessor,
                             .threads = device.maxThreadsPerMultiProcessor,
                             .blocks = device.maxBlocksPerMultiProcessor,
                             .wave_lanes = device.warpSize,
                             .shared_bytes = static_cast<int64_t>(device.sharedMemPerMultiprocessor),
                             .reserved_shared_bytes = static_cast<int64_t>(device.reservedSharedMemPerBlock)};
  std::snprintf(properties.pci, sizeof(properties.pci), "%04x:%02x:%02x.0", static_cast<unsigned>(device.pciDomainID),
                static_cast<unsigned>(device.pciBusID), static_cast<unsigned>(device.pciDeviceID));
  return cudaSuccess;
}

}  // namespace aaco::gpu
