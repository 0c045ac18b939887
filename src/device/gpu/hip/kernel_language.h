// SPDX-License-Identifier: MIT
// What portability.h promises, in HIP. Compiler builtins rather than HIP's device headers, whose wave functions differ
// from release to release.
#pragma once

#include <cstddef>
#include <cstdint>
#include <hip/hip_runtime.h>

#include "device/gpu/stream_context.h"

#define AACO_KERNEL __global__
#define AACO_DEVICE __device__ __forceinline__
#define AACO_SHARED __shared__
#define AACO_DYNAMIC_SHARED(type, name)                                        \
  extern __shared__ __attribute__((aligned(16))) unsigned char name##_bytes[]; \
  type* name = reinterpret_cast<type*>(name##_bytes)

namespace aaco::gpu {

// Each target is compiled on its own: 64 on CDNA, 32 on RDNA. On the host it is the most it can be.
#if defined(__HIP_DEVICE_COMPILE__) && __HIP_DEVICE_COMPILE__
inline constexpr int kWaveLanes = __AMDGCN_WAVEFRONT_SIZE__;
#else
inline constexpr int kWaveLanes = 64;
#endif

AACO_DEVICE uint32_t thread_x() { return threadIdx.x; }
AACO_DEVICE uint32_t block_x() { return blockIdx.x; }
AACO_DEVICE uint32_t block_y() { return blockIdx.y; }
AACO_DEVICE uint32_t block_z() { return blockIdx.z; }
AACO_DEVICE uint32_t block_size() { return blockDim.x; }
AACO_DEVICE uint32_t grid_x() { return gridDim.x; }
AACO_DEVICE int lane() { return static_cast<int>(threadIdx.x % kWaveLanes); }
AACO_DEVICE int wave() { return static_cast<int>(threadIdx.x / kWaveLanes); }

// The hardware moves 4 bytes between lanes, addressed in bytes.
template <class T>
AACO_DEVICE T shuffle(T value, int from) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  int words[sizeof(T) / 4];
  __builtin_memcpy(words, &value, sizeof(T));
  for (int& word : words) {
    word = __builtin_amdgcn_ds_bpermute(from * 4, word);
  }
  __builtin_memcpy(&value, words, sizeof(T));
  return value;
}
template <class T>
AACO_DEVICE T shuffle_xor(T value, int mask) {
  return shuffle(value, lane() ^ mask);
}
// Lanes that would read beyond the wave keep their own.
template <class T>
AACO_DEVICE T shuffle_down(T value, int distance) {
  return shuffle(value, lane() + distance < kWaveLanes ? lane() + distance : lane());
}
AACO_DEVICE uint64_t ballot(bool set) {
#if defined(__HIP_DEVICE_COMPILE__) && __HIP_DEVICE_COMPILE__ && __AMDGCN_WAVEFRONT_SIZE__ == 32
  return __builtin_amdgcn_ballot_w32(set);
#elif defined(__HIP_DEVICE_COMPILE__) && __HIP_DEVICE_COMPILE__
  return __builtin_amdgcn_ballot_w64(set);
#else
  return set ? 1 : 0;  // of the host's pass over this file; never run
#endif
}
// The lanes of a wave run in lockstep; what they wrote to shared memory must still be ordered.
AACO_DEVICE int count_bits(uint64_t bits) { return __builtin_popcountll(bits); }
AACO_DEVICE int lowest_bit(uint64_t bits) { return __builtin_ctzll(bits); }
AACO_DEVICE void sync_wave() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}
AACO_DEVICE void sync_block() { __syncthreads(); }

// At once: the hardware has no such copy on every target.
template <int kBytes>
AACO_DEVICE void copy_async(void* to, const void* from, bool exists) {
  static_assert(kBytes == 4 || kBytes == 16);
  using Words = __attribute__((ext_vector_type(kBytes / 4))) uint32_t;
  Words words{};
  if (exists) {
    words = *static_cast<const Words*>(from);
  }
  *static_cast<Words*>(to) = words;
}
// Their writes to shared memory. The barrier that follows would wait for them too, but clang 19 leaves that wait out
// for gfx942 where a loop ends with the copies and begins with the barrier.
AACO_DEVICE void wait_for_copies() {
#if defined(__HIP_DEVICE_COMPILE__) && __HIP_DEVICE_COMPILE__
  asm volatile("s_waitcnt lgkmcnt(0)" ::: "memory");
#endif
}

AACO_DEVICE float atomic_add(float* to, float value) { return atomicAdd(to, value); }
AACO_DEVICE int32_t atomic_add(int32_t* to, int32_t value) { return atomicAdd(to, value); }
AACO_DEVICE uint64_t atomic_add(uint64_t* to, uint64_t value) {
  return atomicAdd(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(value));
}
AACO_DEVICE uint64_t atomic_min(uint64_t* to, uint64_t value) {
  return atomicMin(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(value));
}
AACO_DEVICE uint64_t atomic_max(uint64_t* to, uint64_t value) {
  return atomicMax(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(value));
}
// Of host memory: what the host last wrote, and a write that the host sees at once.
AACO_DEVICE uint32_t load_system(const uint32_t* from) {
  return __hip_atomic_load(from, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM);
}
AACO_DEVICE void store_system(uint32_t* to, uint32_t value) {
  __hip_atomic_store(to, value, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
}

AACO_DEVICE float exp2_fast(float x) {
#if defined(__HIP_DEVICE_COMPILE__) && __HIP_DEVICE_COMPILE__
  return __builtin_amdgcn_exp2f(x);
#else
  return x;  // of the host's pass over this file; never run
#endif
}

// Does not run at the clock of the compute units: 100 MHz on most, 25 MHz on some.
AACO_DEVICE uint64_t clock_ticks() { return static_cast<uint64_t>(wall_clock64()); }

AACO_DEVICE float half_to_float(uint16_t bits) { return static_cast<float>(__builtin_bit_cast(_Float16, bits)); }
AACO_DEVICE uint16_t float_to_half(float value) { return __builtin_bit_cast(uint16_t, static_cast<_Float16>(value)); }
AACO_DEVICE float bfloat16_to_float(uint16_t bits) {
  return __builtin_bit_cast(float, static_cast<uint32_t>(bits) << 16);
}
// Not every target can in hardware; to nearest, ties to even, NaN stays NaN.
AACO_DEVICE uint16_t float_to_bfloat16(float value) {
  const auto bits = __builtin_bit_cast(uint32_t, value);
  if ((bits & 0x7fffffffU) > 0x7f800000U) {
    return static_cast<uint16_t>((bits >> 16) | 0x40U);
  }
  return static_cast<uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

// Enqueues; the first failure of the stream is kept in its context. Nothing need be allowed for more shared memory.
template <auto kKernel, class Args>
void launch(StreamContext& stream, Dim3 grid, uint32_t block, size_t shared_bytes, const Args& args) {
  Args copy = args;
  void* pointers[] = {&copy};
  stream.keep(hipLaunchKernel(reinterpret_cast<const void*>(kKernel), dim3(grid.x, grid.y, grid.z), dim3(block),
                              pointers, shared_bytes, stream.stream),
              "hipLaunchKernel", __FILE__, __LINE__);
}

// A kernel begins when the one before has ended.
template <auto kKernel, class Args>
void launch_behind(StreamContext& stream, Dim3 grid, uint32_t block, size_t shared_bytes, const Args& args) {
  launch<kKernel>(stream, grid, block, shared_bytes, args);
}
AACO_DEVICE void wait_for_previous() {}

}  // namespace aaco::gpu
