// SPDX-License-Identifier: MIT
// Memory of a CPU device: the host's. What is allocated is really there, page by page, and never promised beyond what
// the machine has left.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "device/device.h"

namespace aaco {

class CpuMemory {
 public:
  // 256-byte aligned, content undefined. Errors: kResource.
  Result<std::unique_ptr<Buffer>> allocate(size_t bytes, MemoryKind kind);
  // Device and pinned memory are the same here, and are counted apart as elsewhere. No driver reserves any:
  // reserved_bytes is unknown.
  MemoryUse use() const;
  void reset_peak();

 private:
  friend class CpuBuffer;
  struct Count {
    void add(int64_t more);

    std::atomic<int64_t> bytes = 0;
    std::atomic<int64_t> peak = 0;
  };

  Count device_;
  Count pinned_;
};

// "model name" of the first processor; none where the kernel does not tell.
std::optional<std::string> processor_name();

}  // namespace aaco
