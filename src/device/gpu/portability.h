// SPDX-License-Identifier: MIT
// The one place where CUDA, HIP and the lockstep host build differ in what a kernel may say. Kernels (kernels/*/*.cu)
// use these names only, so that one source serves all three:
//   CUDA      nvcc, __CUDACC__
//   HIP       clang -x hip, __HIP__
//   lockstep  any C++ compiler with AACO_LOCKSTEP: every thread of a block is a fiber, the lanes of a wave
//   (AACO_LOCKSTEP
//             lanes of it, 32 or 64) meet at each wave primitive, all threads of a block at sync_block (lockstep.h)
//
//   AACO_KERNEL void f(FArgs args)      a kernel; void result, arguments by value
//   AACO_DEVICE float g(float x)        a function that kernels call
//   AACO_SHARED float tile[256];        shared memory of a block, not initialised
//   AACO_DYNAMIC_SHARED(float, name);   float* name: as many bytes as the launch gives
//   gpu::launch<f>(stream, grid, block, shared_bytes, args)   host: enqueues, failures are the stream's
//   gpu::launch_behind<f>(...)          the same, and blocks may begin while what was enqueued before still ends: every
//   thread of f must call wait_for_previous() before it reads or writes memory, which what was enqueued before has then
//   done with
// A kernel must not assume a wave size: kWaveLanes is 32 on NVIDIA and RDNA, 64 on CDNA.
#pragma once

#include <cstdint>

#include "device/ops/dtype.h"

#if defined(AACO_LOCKSTEP)
#include "device/gpu/lockstep.h"
#elif defined(__HIP__)
#include "device/gpu/hip/kernel_language.h"
#else
#include "device/gpu/cuda/kernel_language.h"
#endif

// Before a loop of fixed length over an array that is to stay in registers; before one that is to be unrolled so often.
#if defined(AACO_LOCKSTEP)
#define AACO_UNROLL
#define AACO_UNROLL_BY_4
#else
#define AACO_UNROLL _Pragma("unroll")
#define AACO_UNROLL_BY_4 _Pragma("unroll 4")
#endif

// Each of the three defines, in namespace aaco::gpu:
//   uint32_t thread_x(), block_x(), block_y(), block_z(), block_size(), grid_x()     (blocks are one-dimensional)
//   constexpr int kWaveLanes (lockstep and CUDA) or a function of that value; int lane(), wave(): within the block
//   T shuffle_xor(T value, int mask), shuffle(T value, int lane), shuffle_down(T value, int distance): T of 4 or 8
//   bytes; uint64_t ballot(bool); void sync_wave(), sync_block()
//   int count_bits(uint64_t): how many are set; int lowest_bit(uint64_t): of which at least one is set
//   void copy_async<4 or 16>(void* to_shared, const void* from, bool exists): bytes at such addresses, zeros where none
//   exist; there after the same thread's wait_for_copies(), for the others after a barrier besides
//   atomic_add(float* or int32_t* or uint64_t*, value), atomic_min, atomic_max(uint64_t*, uint64_t): the old value
//   uint32_t load_system(const uint32_t*), void store_system(uint32_t*, uint32_t): of pinned host memory, in order
//   float exp2_fast(float x): 2^x to a few units in the last place; where that is not a normal number, 0
//   uint64_t clock_ticks(): the device's clock, one for all compute units; DeviceLimits::clock_khz says how fast
//   half_to_float, float_to_half, bfloat16_to_float, float_to_bfloat16 of uint16_t: to nearest, ties to even
// Dim3, StreamContext and DeviceLimits are in stream_context.h. Host code asks DeviceLimits::wave_lanes.
namespace aaco::gpu {

// The device's clock in nanoseconds, exactly, for clocks of any whole number of kHz.
AACO_DEVICE uint64_t clock_ns(uint32_t clock_khz) {
  const uint64_t ticks = clock_ticks();
  return ticks / clock_khz * 1'000'000 + ticks % clock_khz * 1'000'000 / clock_khz;
}

// Sums and maxima over the lanes of a wave; every lane gets the result.
template <class T>
AACO_DEVICE T wave_sum(T value) {
  for (int mask = kWaveLanes / 2; mask > 0; mask /= 2) {
    value += shuffle_xor(value, mask);
  }
  return value;
}

template <class T>
AACO_DEVICE T wave_max(T value) {
  for (int mask = kWaveLanes / 2; mask > 0; mask /= 2) {
    const T other = shuffle_xor(value, mask);
    value = other > value ? other : value;
  }
  return value;
}

// The same over a block of at most 1024 threads, a multiple of kWaveLanes. `scratch` is shared memory of 32 T. Ends
// with a barrier: scratch may be used again at once.
template <class T>
AACO_DEVICE T block_sum(T value, T* scratch) {
  value = wave_sum(value);
  if (lane() == 0) {
    scratch[wave()] = value;
  }
  sync_block();
  T total = 0;
  for (int i = 0; i < static_cast<int>(block_size()) / kWaveLanes; ++i) {
    total += scratch[i];
  }
  sync_block();
  return total;
}

template <class T>
AACO_DEVICE T block_max(T value, T* scratch) {
  value = wave_max(value);
  if (lane() == 0) {
    scratch[wave()] = value;
  }
  sync_block();
  T most = scratch[0];
  for (int i = 1; i < static_cast<int>(block_size()) / kWaveLanes; ++i) {
    most = scratch[i] > most ? scratch[i] : most;
  }
  sync_block();
  return most;
}

// Element access by type: load(p, i) is a float, store(p, i, x) rounds to nearest even. T is float, Half, Bfloat16 or
// int32_t.
AACO_DEVICE float load(const float* data, int64_t i) { return data[i]; }
AACO_DEVICE void store(float* data, int64_t i, float value) { data[i] = value; }
AACO_DEVICE float load(const Half* data, int64_t i) { return half_to_float(data[i].bits); }
AACO_DEVICE void store(Half* data, int64_t i, float value) { data[i].bits = float_to_half(value); }
AACO_DEVICE float load(const Bfloat16* data, int64_t i) { return bfloat16_to_float(data[i].bits); }
AACO_DEVICE void store(Bfloat16* data, int64_t i, float value) { data[i].bits = float_to_bfloat16(value); }

// Calls f(static_cast<T*>(nullptr)) with the C++ type of a floating dtype.
template <class F>
void with_float_type(Dtype dtype, F&& f) {
  switch (dtype) {
    case Dtype::kF16:
      f(static_cast<Half*>(nullptr));
      break;
    case Dtype::kBf16:
      f(static_cast<Bfloat16*>(nullptr));
      break;
    default:
      f(static_cast<float*>(nullptr));
      break;
  }
}

}  // namespace aaco::gpu
