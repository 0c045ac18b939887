// SPDX-License-Identifier: MIT
// A function on a stack of its own, entered and left many times. The switch is Boost.Context's: no system call, unlike
// swapcontext, which matters with a switch per lane and primitive. Address sanitizer is told of each switch; without
// that it takes a fiber's stack for a wild pointer.
#pragma once

#include <boost/context/fiber.hpp>
#include <cstddef>
#include <functional>

#include "device/gpu/lockstep/block.h"

namespace aaco::gpu::lockstep {

class Fiber {
 public:
  // `stack` points to kStackBytes. `body` must not let exceptions out.
  void start(unsigned char* stack, std::function<void()> body);
  // From outside: runs the body until it leaves or returns.
  void enter();
  // From the body: back to who entered.
  void leave();
  bool ended() const { return !fiber_; }

 private:
  unsigned char* stack_ = nullptr;
  std::function<void()> body_;
  boost::context::fiber fiber_;
  boost::context::fiber outside_;
  void* fake_stack_ = nullptr;  // the sanitizer's
  const void* outside_stack_ = nullptr;
  size_t outside_bytes_ = 0;
};

}  // namespace aaco::gpu::lockstep
