// SPDX-License-Identifier: MIT
#include "device/gpu/lockstep/kernel.h"

#include <atomic>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>

#include "device/gpu/lockstep/block.h"
#include "device/gpu/lockstep/shared_memory.h"
#include "device/gpu/lockstep/symbols.h"

namespace aaco::gpu::lockstep {
namespace {

constinit const Kernel* last_registered = nullptr;
constexpr uint32_t kMostThreads = 1024;
std::atomic<Order> thread_order = Order::kAscending;

const Symbols& symbols() {
  static const Symbols table;
  return table;
}

std::string at(Dim3 block) {
  return "(" + std::to_string(block.x) + ", " + std::to_string(block.y) + ", " + std::to_string(block.z) + ")";
}

std::string run_grid(const DeviceLimits& limits, const Kernel& kernel, const LaunchShape& shape, const void* args) {
  const Dim3 grid = shape.grid;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || shape.block == 0 || shape.block > kMostThreads) {
    return "a grid of " + at(grid) + " blocks of " + std::to_string(shape.block) + " threads cannot be launched";
  }
  if (shape.shared_bytes > limits.shared_bytes) {
    return std::to_string(shape.shared_bytes) + " bytes of shared memory, of " + std::to_string(limits.shared_bytes);
  }
  const bool descending = thread_order.load() == Order::kDescending;
  DynamicShared dynamic(shape.shared_bytes);
  Thread thread{0, shape.block, {}, grid, dynamic.data(), {}, shape.behind};
  const StaticShared statics;
  for (thread.block.z = 0; thread.block.z < grid.z; ++thread.block.z) {
    for (thread.block.y = 0; thread.block.y < grid.y; ++thread.block.y) {
      for (thread.block.x = 0; thread.block.x < grid.x; ++thread.block.x) {
        dynamic.poison();
        statics.poison();
        std::string failure = run_block(kernel, thread, args, descending);
        if (failure.empty() && dynamic.overrun()) {
          failure = "wrote beyond the " + std::to_string(shape.shared_bytes) + " bytes of dynamic shared memory";
        }
        if (!failure.empty()) {
          return "block " + at(thread.block) + ": " + failure;
        }
      }
    }
  }
  return {};
}

}  // namespace

Kernel::Kernel(const void* code, size_t bytes, size_t align, void (*run)(const void*))
    : function(code), args_bytes(bytes), args_alignment(align), invoke(run), next(last_registered) {
  last_registered = this;
}

const Kernel* find_kernel(const char* name) {
  const void* function = symbols().address_of(name);
  for (const Kernel* kernel = last_registered; kernel != nullptr && function != nullptr; kernel = kernel->next) {
    if (kernel->function == function) {
      return kernel;
    }
  }
  return nullptr;
}

std::string name_of(const Kernel& kernel) {
  const std::string name = symbols().name_of(kernel.function);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return demangled ? demangled.get() : name;
}

void set_order(Order order) { thread_order = order; }

void run(StreamContext& stream, const Kernel& kernel, const LaunchShape& shape, const void* args) {
  if (stream.failed()) {
    return;
  }
  const std::string failure = run_grid(stream.limits, kernel, shape, args);
  if (!failure.empty()) {
    stream.failure_status = 1;  // AacoStatus: the device
    stream.failure = "kernel " + name_of(kernel) + ": " + failure;
  }
}

}  // namespace aaco::gpu::lockstep
