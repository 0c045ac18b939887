// SPDX-License-Identifier: MIT
// What the vendor's libraries are given for their work on a stream. Their first use may be a captured one: memory is
// got outside of the capture.
#pragma once

#include <vector>

#include "device/gpu/stream_context.h"

namespace aaco::gpu {

// While it lives, the calling thread may get memory and load kernels although a stream of its own is being captured.
class OutsideOfCapture {
 public:
  explicit OutsideOfCapture(StreamContext& stream);
  ~OutsideOfCapture();
  OutsideOfCapture(const OutsideOfCapture&) = delete;
  OutsideOfCapture& operator=(const OutsideOfCapture&) = delete;

 private:
  StreamContext& stream_;
  gpuStreamCaptureMode mode_ = gpuStreamCaptureModeRelaxed;
};

// Of one library on one stream, whose work runs one after the other. Counted as its device's library_bytes.
class LibraryWorkspace {
 public:
  LibraryWorkspace() = default;
  ~LibraryWorkspace();
  LibraryWorkspace(const LibraryWorkspace&) = delete;
  LibraryWorkspace& operator=(const LibraryWorkspace&) = delete;

  // So many bytes or more; null for 0, and where there are none, which is the stream's failure. What was given before
  // stays: graphs may hold it.
  void* at_least(StreamContext& stream, size_t bytes);

 private:
  struct Block {
    void* memory = nullptr;
    size_t bytes = 0;
  };
  std::vector<Block> blocks_;  // each larger than the one before
  DeviceContext* device_ = nullptr;
};

}  // namespace aaco::gpu
