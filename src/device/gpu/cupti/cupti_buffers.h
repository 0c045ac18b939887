// SPDX-License-Identifier: MIT
// Memory that CUPTI fills with records. Zeroed, and zeroed again by the thread that delivers it: the thread that asks
// for a buffer is one of the program's, in the middle of a launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <mutex>
#include <vector>

namespace aaco::gpu {

inline uint64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

class CuptiBuffers {
 public:
  // Before the first one; buffers of another size that are on their way are not kept.
  void set_bytes(size_t bytes);
  size_t bytes() const { return bytes_; }
  // Null without memory.
  uint8_t* take();
  void give_back(uint8_t* buffer);

 private:
  static constexpr size_t kMostSpare = 16;

  std::mutex mutex_;
  size_t bytes_ = 0;
  std::vector<uint8_t*> spare_;  // zeroed
};

}  // namespace aaco::gpu
