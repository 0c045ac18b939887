// SPDX-License-Identifier: MIT
#include "device/gpu/libraries/library_workspace.h"

#include "device/gpu/device_context.h"

namespace aaco::gpu {

OutsideOfCapture::OutsideOfCapture(StreamContext& stream) : stream_(stream) {
  stream.keep(gpuThreadExchangeStreamCaptureMode(&mode_), "gpuThreadExchangeStreamCaptureMode", __FILE__, __LINE__);
}

OutsideOfCapture::~OutsideOfCapture() {
  stream_.keep(gpuThreadExchangeStreamCaptureMode(&mode_), "gpuThreadExchangeStreamCaptureMode", __FILE__, __LINE__);
}

LibraryWorkspace::~LibraryWorkspace() {
  for (const Block& block : blocks_) {
    static_cast<void>(gpuFree(block.memory));
    device_->library_bytes -= static_cast<int64_t>(block.bytes);
  }
}

void* LibraryWorkspace::at_least(StreamContext& stream, size_t bytes) {
  if (bytes == 0) {
    return nullptr;
  }
  if (!blocks_.empty() && blocks_.back().bytes >= bytes) {
    return blocks_.back().memory;
  }
  const OutsideOfCapture outside(stream);
  void* memory = nullptr;
  stream.keep(gpuMalloc(&memory, bytes), "gpuMalloc", __FILE__, __LINE__);
  if (memory != nullptr) {
    device_ = stream.device;
    device_->library_bytes += static_cast<int64_t>(bytes);
    blocks_.push_back({memory, bytes});
  }
  return memory;
}

}  // namespace aaco::gpu
