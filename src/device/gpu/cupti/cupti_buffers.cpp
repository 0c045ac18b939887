// SPDX-License-Identifier: MIT
#include "device/gpu/cupti/cupti_buffers.h"

#include <cstdlib>
#include <cstring>

namespace aaco::gpu {

void CuptiBuffers::set_bytes(size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes_ == bytes) {
    return;
  }
  for (uint8_t* buffer : spare_) {
    std::free(buffer);
  }
  spare_.clear();
  bytes_ = bytes;
}

uint8_t* CuptiBuffers::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!spare_.empty()) {
      uint8_t* buffer = spare_.back();
      spare_.pop_back();
      return buffer;
    }
  }
  return static_cast<uint8_t*>(std::calloc(bytes_, 1));  // aligned to 16 bytes; CUPTI wants 8
}

void CuptiBuffers::give_back(uint8_t* buffer) {
  if (buffer == nullptr) {
    return;
  }
  std::memset(buffer, 0, bytes_);
  const std::lock_guard lock(mutex_);
  if (spare_.size() < kMostSpare) {
    spare_.push_back(buffer);
    return;
  }
  std::free(buffer);
}

}  // namespace aaco::gpu
