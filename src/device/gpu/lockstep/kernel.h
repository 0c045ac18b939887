// SPDX-License-Identifier: MIT
// The kernels of a lockstep library: each that is launched somewhere registers itself when the library is loaded, and
// is found by the name that it has in the symbol table, which is the name that HIP registers it by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "device/gpu/stream_context.h"

namespace aaco::gpu::lockstep {

struct Kernel {
  Kernel(const void* code, size_t bytes, size_t align, void (*run)(const void*));

  const void* function;  // its address
  size_t args_bytes;     // of its only argument
  size_t args_alignment;
  void (*invoke)(const void* args);  // as the thread that calls
  const Kernel* next;                // registered before
};

struct LaunchShape {
  Dim3 grid;
  uint32_t block = 1;
  size_t shared_bytes = 0;
  bool behind = false;  // by launch_behind: every thread must wait_for_previous()
};

// `name` is mangled. Null: no such kernel. Errors: a library without symbols knows none.
const Kernel* find_kernel(const char* name);
// Demangled, for messages.
std::string name_of(const Kernel& kernel);

// From the first thread to the last, or against it: what relies on an order shows. Of this library, until it is set
// again.
enum class Order : int32_t { kAscending, kDescending };
void set_order(Order order);

// All of it, before it returns. The first failure is kept in the stream.
void run(StreamContext& stream, const Kernel& kernel, const LaunchShape& shape, const void* args);

template <auto kFunction, class Args>
struct Registered {
  static void invoke(const void* args) { kFunction(*static_cast<const Args*>(args)); }
  static inline const Kernel kKernelEntry{reinterpret_cast<const void*>(kFunction), sizeof(Args), alignof(Args),
                                          &invoke};
};

}  // namespace aaco::gpu::lockstep
