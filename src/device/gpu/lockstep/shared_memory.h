// SPDX-License-Identifier: MIT
// The shared memory of a block in the lockstep build: filled with a pattern that is NaN in every floating type before
// each block, so that what reads before it writes shows.
#pragma once

#include <cstddef>
#include <memory>

namespace aaco::gpu::lockstep {

// What a launch asks for, of exactly that size, with a margin behind it that must stay as it is.
class DynamicShared {
 public:
  explicit DynamicShared(size_t bytes);
  unsigned char* data() const { return memory_.get(); }
  void poison() const;
  bool overrun() const;

 private:
  struct Free {
    void operator()(unsigned char* memory) const;
  };
  size_t bytes_;
  std::unique_ptr<unsigned char, Free> memory_;
};

// The thread-local variables of this library on the calling thread: those that AACO_SHARED declares.
class StaticShared {
 public:
  StaticShared();
  void poison() const;

 private:
  void* start_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace aaco::gpu::lockstep
