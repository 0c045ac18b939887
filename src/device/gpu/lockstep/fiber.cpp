// SPDX-License-Identifier: MIT
#include "device/gpu/lockstep/fiber.h"

#include <boost/context/preallocated.hpp>
#include <memory>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#define AACO_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define AACO_ADDRESS_SANITIZER
#endif
#endif
#ifdef AACO_ADDRESS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif

namespace aaco::gpu::lockstep {
namespace {

// fake_stack null: the stack that is left will not be entered again.
void before_switch([[maybe_unused]] void** fake_stack, [[maybe_unused]] const void* stack,
                   [[maybe_unused]] size_t bytes) {
#ifdef AACO_ADDRESS_SANITIZER
  __sanitizer_start_switch_fiber(fake_stack, stack, bytes);
#endif
}

void after_switch([[maybe_unused]] void* fake_stack, [[maybe_unused]] const void** left_stack,
                  [[maybe_unused]] size_t* left_bytes) {
#ifdef AACO_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(fake_stack, left_stack, left_bytes);
#endif
}

// The stack is its owner's, and used again.
struct KeepStack {
  void deallocate(boost::context::stack_context&) const {}
};

}  // namespace

void Fiber::start(unsigned char* stack, std::function<void()> body) {
  stack_ = stack;
  body_ = std::move(body);
  fake_stack_ = nullptr;
  boost::context::stack_context context;
  context.sp = stack + kStackBytes;
  context.size = kStackBytes;
  const boost::context::preallocated place(context.sp, context.size, context);
  fiber_ = boost::context::fiber(std::allocator_arg, place, KeepStack{}, [this](boost::context::fiber&& outside) {
    after_switch(nullptr, &outside_stack_, &outside_bytes_);
    outside_ = std::move(outside);
    body_();
    before_switch(nullptr, outside_stack_, outside_bytes_);
    return std::move(outside_);
  });
}

void Fiber::enter() {
  void* fake_stack = nullptr;
  before_switch(&fake_stack, stack_, kStackBytes);
  fiber_ = std::move(fiber_).resume();
  after_switch(fake_stack, nullptr, nullptr);
}

void Fiber::leave() {
  before_switch(&fake_stack_, outside_stack_, outside_bytes_);
  outside_ = std::move(outside_).resume();
  after_switch(fake_stack_, &outside_stack_, &outside_bytes_);
}

}  // namespace aaco::gpu::lockstep
