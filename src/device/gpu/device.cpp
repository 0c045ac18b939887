// SPDX-License-Identifier: MIT
// Devices and their memory.
#include <array>
#include <atomic>
#include <cstdio>

#include "device/gpu/device_context.h"
#include "device/gpu/failure.h"
#include "device/gpu/libraries/conv_library.h"
#include "device/gpu/libraries/gemm_library.h"
#include "device/gpu/libraries/nccl_library.h"
#include "device/gpu/module_functions.h"
#include "device/gpu/vendor_runtime.h"

namespace aaco::gpu {

namespace {

constexpr int32_t kMostDevices = 64;

struct OpenDevice {
  std::unique_ptr<DeviceContext> context;
  AacoDeviceProperties properties{};
};

std::mutex open_mutex;
std::array<OpenDevice, kMostDevices> opened;
std::atomic<int32_t> devices_of_machine{0};

int32_t open_first_time(int32_t index, OpenDevice& device) {
  auto context = std::make_unique<DeviceContext>();
  AACO_GPU_TRY(gpuSetDevice(index));
  AACO_GPU_TRY(describe_device(index, context->limits, device.properties));
  context->limits.index = index;
  int lowest = 0;
  int highest = 0;
  AACO_GPU_TRY(gpuDeviceGetStreamPriorityRange(&lowest, &highest));
  device.properties.lowest_priority = lowest;
  device.properties.highest_priority = highest;
  std::snprintf(device.properties.gemm_library, sizeof(device.properties.gemm_library), "%s",
                gemm_library_text().c_str());
  std::snprintf(device.properties.conv_library, sizeof(device.properties.conv_library), "%s",
                conv_library_text().c_str());
  device.context = std::move(context);
  return kAacoOk;
}

}  // namespace

gpuError_t make_current(const DeviceContext& device) {
  return devices_of_machine.load(std::memory_order_relaxed) == 1 ? gpuSuccess : gpuSetDevice(device.limits.index);
}

std::vector<DeviceContext*> open_devices() {
  const std::lock_guard lock(open_mutex);
  std::vector<DeviceContext*> devices;
  for (const OpenDevice& device : opened) {
    if (device.context) {
      devices.push_back(device.context.get());
    }
  }
  return devices;
}

int32_t device_count(int32_t* count) noexcept {
  int granularity = 0;
  AACO_GPU_TRY(gpuGetDeviceCount(&granularity));
  devices_of_machine = granularity;
  *count = granularity < kMostDevices ? granularity : kMostDevices;
  return kAacoOk;
}

int32_t device_open(int32_t index, void** device, AacoDeviceProperties* properties) noexcept {
  int32_t count = 0;
  if (const int32_t status = device_count(&count); status != kAacoOk) {
    return status;
  }
  if (index < 0 || index >= count) {
    return AACO_GPU_FAIL(kAacoUsage, "no such device: " + std::to_string(index) + " of " + std::to_string(count));
  }
  const std::lock_guard lock(open_mutex);
  OpenDevice& place = opened[static_cast<size_t>(index)];
  if (!place.context) {
    if (const int32_t status = open_first_time(index, place); status != kAacoOk) {
      return status;
    }
  }
  *device = place.context.get();
  *properties = place.properties;
  return kAacoOk;
}

int32_t memory_free(void* device, int64_t* free_bytes, int64_t* total_bytes) noexcept {
  size_t unused = 0;
  size_t total = 0;
  AACO_GPU_TRY(make_current(*static_cast<DeviceContext*>(device)));
  AACO_GPU_TRY(gpuMemGetInfo(&unused, &total));
  *free_bytes = static_cast<int64_t>(unused);
  *total_bytes = static_cast<int64_t>(total);
  return kAacoOk;
}

int64_t library_memory(void* device) noexcept { return static_cast<DeviceContext*>(device)->library_bytes; }

int32_t allocate(void* device, size_t bytes, int32_t kind, void** memory) noexcept {
  AACO_GPU_TRY(make_current(*static_cast<DeviceContext*>(device)));
  switch (kind) {
    case kAacoCollectiveMemory:
      return allocate_for_collectives(bytes, memory);
    case kAacoPinnedMemory:
      AACO_GPU_TRY(allocate_pinned(memory, bytes));
      break;
    default:
      AACO_GPU_TRY(gpuMalloc(memory, bytes));
      break;
  }
  return kAacoOk;
}

int32_t release(void* device, int32_t kind, void* memory) noexcept {
  AACO_GPU_TRY(make_current(*static_cast<DeviceContext*>(device)));
  switch (kind) {
    case kAacoCollectiveMemory:
      return release_for_collectives(memory);
    case kAacoPinnedMemory:
      return check(free_pinned(memory), kFreePinnedName, __FILE__, __LINE__);
    default:
      return AACO_GPU_CHECK(gpuFree(memory));
  }
}

int32_t enable_peer(void* device, void* peer) noexcept {
  const auto& here = *static_cast<DeviceContext*>(device);
  const auto& there = *static_cast<DeviceContext*>(peer);
  int can = 0;
  AACO_GPU_TRY(gpuDeviceCanAccessPeer(&can, here.limits.index, there.limits.index));
  if (can == 0) {
    return AACO_GPU_FAIL(kAacoUnavailable, "device " + std::to_string(here.limits.index) +
                                               " cannot reach the memory of device " +
                                               std::to_string(there.limits.index) +
                                               "\nuse devices with a link between them, or copy through the host");
  }
  AACO_GPU_TRY(make_current(here));
  const gpuError_t status = gpuDeviceEnablePeerAccess(there.limits.index, 0);
  if (status == gpuErrorPeerAccessAlreadyEnabled) {
    static_cast<void>(gpuGetLastError());
    return kAacoOk;
  }
  return check(status, "gpuDeviceEnablePeerAccess", __FILE__, __LINE__);
}

int32_t device_synchronize(void* device) noexcept {
  AACO_GPU_TRY(make_current(*static_cast<DeviceContext*>(device)));
  AACO_GPU_TRY(gpuDeviceSynchronize());
  return kAacoOk;
}

}  // namespace aaco::gpu
