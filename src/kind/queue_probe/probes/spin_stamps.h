// SPDX-License-Identifier: MIT
// Time stamps that spin kernels leave in the device's memory, and their way to the host.
#pragma once

#include <memory>
#include <vector>

#include "device/device.h"
#include "kind/queue_probe/analysis/kernel_stamps.h"

namespace aaco {

class SpinStamps {
 public:
  static Result<SpinStamps> make(Device& device, size_t count);

  // For SpinArgs of kernel `index`.
  SpinStamp* of(size_t index) const { return static_cast<SpinStamp*>(memory_->data()) + index; }
  // As no kernel has written them. Done when it returns.
  Result<void> clear(Stream& stream);
  // What the first `streams.size()` kernels left, after they are done; the stream of each is given.
  Result<std::vector<KernelStamp>> read(Stream& stream, const std::vector<int32_t>& streams);

 private:
  SpinStamps() = default;

  size_t count_ = 0;
  std::unique_ptr<Buffer> memory_;
  std::unique_ptr<Buffer> host_;
};

}  // namespace aaco
