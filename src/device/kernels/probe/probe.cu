// SPDX-License-Identifier: MIT
// Kernels that measure the machine rather than compute.
#include "device/gpu/portability.h"
#include "device/gpu/run_on_gpu.h"

namespace aaco::gpu {

// Not in an unnamed namespace: the kernels would be local, and under names that change from build to build.
struct SpinLaunch {
  SpinArgs args;
  uint32_t clock_khz;
};

struct GateLaunch {
  GateArgs args;
  uint32_t clock_khz;
};

// The stamps are written at the end, so that writing them delays neither.
AACO_KERNEL void spin_kernel(SpinLaunch launch) {
  if (thread_x() != 0) {
    return;
  }
  const uint64_t start = clock_ns(launch.clock_khz);
  uint64_t now = start;
  while (now - start < static_cast<uint64_t>(launch.args.duration_ns)) {
    now = clock_ns(launch.clock_khz);
  }
  if (launch.args.stamp != nullptr) {
    atomic_min(&launch.args.stamp->start_ns, start);
    atomic_max(&launch.args.stamp->end_ns, now);
    atomic_add(&launch.args.stamp->start_sum_ns, start);
    atomic_add(&launch.args.stamp->end_sum_ns, now);
    atomic_add(&launch.args.stamp->blocks, uint64_t{1});
  }
}

AACO_KERNEL void gate_kernel(GateLaunch launch) {
  if (thread_x() != 0) {
    return;
  }
  const uint64_t start = clock_ns(launch.clock_khz);
  while (load_system(launch.args.flag) < launch.args.value) {
    if (clock_ns(launch.clock_khz) - start >= static_cast<uint64_t>(launch.args.timeout_ns)) {
      if (launch.args.timed_out != nullptr) {
        store_system(launch.args.timed_out, 1);
      }
      return;
    }
  }
}

AACO_KERNEL void null_kernel(NullArgs) {}

void run_on_gpu(StreamContext& stream, const SpinArgs& args) {
  const bool fill = args.blocks <= 0;
  const auto blocks = static_cast<uint32_t>(fill ? stream.limits.compute_units : args.blocks);
  const size_t shared_bytes = fill ? stream.limits.shared_bytes : 0;
  launch<spin_kernel>(stream, {blocks, 1, 1}, static_cast<uint32_t>(stream.limits.wave_lanes), shared_bytes,
                      SpinLaunch{args, static_cast<uint32_t>(stream.limits.clock_khz)});
}

void run_on_gpu(StreamContext& stream, const GateArgs& args) {
  launch<gate_kernel>(stream, {1, 1, 1}, static_cast<uint32_t>(stream.limits.wave_lanes), 0,
                      GateLaunch{args, static_cast<uint32_t>(stream.limits.clock_khz)});
}

void run_on_gpu(StreamContext& stream, const NullArgs& args) { launch<null_kernel>(stream, {1, 1, 1}, 1, 0, args); }

}  // namespace aaco::gpu
