// SPDX-License-Identifier: MIT
// A device that a vendor's module has opened, and what belongs to it. Lives as long as the process.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "device/gpu/stream_context.h"

namespace aaco::gpu {

struct DeviceContext {
  DeviceLimits limits;
  std::atomic<int64_t> library_bytes = 0;  // workspaces of the vendor's libraries
  std::atomic<bool> communicator_failed = false;
  std::mutex mutex;  // of what follows
  std::map<const void*, std::string> communicator_failures;
  std::vector<StreamContext*> streams;
  std::shared_ptr<void> gemm;  // the GEMM library's own, made on first use
  std::shared_ptr<void> conv;  // the convolution library's
};

struct EventContext {
  gpuEvent_t event{};
  DeviceContext* device = nullptr;
};

struct GraphContext {
  gpuGraphExec_t graph{};
  DeviceContext* device = nullptr;
};

// The calling thread's calls go to this device from here on. Costs nothing where there is one device only.
gpuError_t make_current(const DeviceContext& device);
// Ready for work: the stream's device is current, and nothing has failed. Nothing is enqueued where it says false.
bool begin(StreamContext& stream);
// Every device opened so far.
std::vector<DeviceContext*> open_devices();

}  // namespace aaco::gpu
