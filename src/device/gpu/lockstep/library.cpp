// SPDX-License-Identifier: MIT
#include "device/gpu/lockstep/library.h"

#include <cstring>
#include <memory>
#include <new>

namespace aaco::gpu::lockstep {
namespace {

std::string run_alone(const Kernel& kernel, const DeviceLimits& limits, const LaunchShape& shape, const void* args) {
  const std::align_val_t alignment{kernel.args_alignment};
  const auto free = [alignment](void* memory) { ::operator delete(memory, alignment); };
  const std::unique_ptr<void, decltype(free)> copy(::operator new(kernel.args_bytes, alignment), free);
  std::memcpy(copy.get(), args, kernel.args_bytes);
  StreamContext stream;
  stream.limits = limits;
  run(stream, kernel, shape, copy.get());
  return stream.failure;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const Library* aaco_lockstep_library() {
  static const Library library{AACO_LOCKSTEP, &find_kernel, &run_alone, &set_order};
  return &library;
}

}  // namespace aaco::gpu::lockstep
