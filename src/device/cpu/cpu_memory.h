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
  Result<std::unique_ptr<Buffer>> allocate(size_t bytes);
  // Device and pinned memory together: here they are the same. No driver reserves any: reserved_bytes is unknown.
  MemoryUse use() const;
  void reset_peak() { peak_bytes_ = allocated_bytes_.load(); }

 private:
  friend class CpuBuffer;
  void count(int64_t bytes);

  std::atomic<int64_t> allocated_bytes_ = 0;
  std::atomic<int64_t> peak_bytes_ = 0;
};

// Of the machine, by the kernel's account; none where it does not tell.
std::optional<int64_t> available_memory_bytes();
std::optional<int64_t> total_memory_bytes();
// "model name" of the first processor; none where the kernel does not tell.
std::optional<std::string> processor_name();

}  // namespace aaco
