// SPDX-License-Identifier: MIT
// The bytes of a growing array (growing_array.h): from the allocator as long as the spill plan of the process allows
// it, from a file of their own after that.
#pragma once

#include <cstddef>
#include <memory>

#include "base/memory/spill_file.h"

namespace aaco {

class GrowingMemory {
 public:
  GrowingMemory() = default;
  GrowingMemory(GrowingMemory&& other) noexcept { swap(other); }
  GrowingMemory& operator=(GrowingMemory&& other) noexcept {
    swap(other);
    return *this;
  }
  GrowingMemory(const GrowingMemory&) = delete;
  GrowingMemory& operator=(const GrowingMemory&) = delete;
  ~GrowingMemory();

  void* data() const { return file_ ? file_->data() : data_; }
  bool in_file() const { return file_ != nullptr; }

  // May move them; the first `used_bytes` stay what they are. How many there are now, maybe more. Throws
  // std::bad_alloc, SpillFailed.
  size_t grow(size_t bytes, size_t used_bytes);

 private:
  void swap(GrowingMemory& other) noexcept;
  void grow_in_memory(size_t bytes);
  void move_to_file(size_t bytes, size_t used_bytes);

  void* data_ = nullptr;  // of the allocator
  size_t bytes_ = 0;      // there
  std::unique_ptr<SpillFile> file_;
};

}  // namespace aaco
