// SPDX-License-Identifier: MIT
// What portability.h promises, in CUDA.
#pragma once

#include <atomic>
#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "device/gpu/stream_context.h"  // Dim3, StreamContext: the stream, its device, its first failure

#define AACO_KERNEL __global__
#define AACO_DEVICE __device__ __forceinline__
#define AACO_SHARED __shared__
#define AACO_DYNAMIC_SHARED(type, name)                         \
  extern __shared__ __align__(16) unsigned char name##_bytes[]; \
  type* name = reinterpret_cast<type*>(name##_bytes)

namespace aaco::gpu {

inline constexpr int kWaveLanes = 32;
inline constexpr unsigned kAllLanes = 0xffffffffU;

AACO_DEVICE uint32_t thread_x() { return threadIdx.x; }
AACO_DEVICE uint32_t block_x() { return blockIdx.x; }
AACO_DEVICE uint32_t block_y() { return blockIdx.y; }
AACO_DEVICE uint32_t block_z() { return blockIdx.z; }
AACO_DEVICE uint32_t block_size() { return blockDim.x; }
AACO_DEVICE uint32_t grid_x() { return gridDim.x; }
AACO_DEVICE int lane() { return static_cast<int>(threadIdx.x % kWaveLanes); }
AACO_DEVICE int wave() { return static_cast<int>(threadIdx.x / kWaveLanes); }

template <class T>
AACO_DEVICE T shuffle_xor(T value, int mask) {
  return __shfl_xor_sync(kAllLanes, value, mask);
}
template <class T>
AACO_DEVICE T shuffle(T value, int from) {
  return __shfl_sync(kAllLanes, value, from);
}
template <class T>
AACO_DEVICE T shuffle_down(T value, int distance) {
  return __shfl_down_sync(kAllLanes, value, static_cast<unsigned>(distance));
}
AACO_DEVICE uint64_t ballot(bool set) { return __ballot_sync(kAllLanes, set ? 1 : 0); }
AACO_DEVICE int count_bits(uint64_t bits) { return __popcll(bits); }
AACO_DEVICE int lowest_bit(uint64_t bits) { return __ffsll(static_cast<long long>(bits)) - 1; }
AACO_DEVICE void sync_wave() { __syncwarp(); }
AACO_DEVICE void sync_block() { __syncthreads(); }

template <int kBytes>
AACO_DEVICE void copy_async(void* to, const void* from, bool exists) {
  static_assert(kBytes == 4 || kBytes == 16);
  const auto shared = static_cast<uint32_t>(__cvta_generic_to_shared(to));
  const uint64_t global = __cvta_generic_to_global(from);
  const int bytes = exists ? kBytes : 0;  // what is left of kBytes is filled with zeros
  if constexpr (kBytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(global), "r"(bytes) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared), "l"(global), "r"(bytes) : "memory");
  }
}
AACO_DEVICE void wait_for_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

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
  uint32_t value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}
AACO_DEVICE void store_system(uint32_t* to, uint32_t value) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}

AACO_DEVICE float exp2_fast(float x) {
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  return power;
}

AACO_DEVICE uint64_t clock_ticks() {
  uint64_t ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}

AACO_DEVICE float half_to_float(uint16_t bits) { return __half2float(__ushort_as_half(bits)); }
AACO_DEVICE uint16_t float_to_half(float value) { return __half_as_ushort(__float2half_rn(value)); }
AACO_DEVICE float bfloat16_to_float(uint16_t bits) { return __bfloat162float(__ushort_as_bfloat16(bits)); }
AACO_DEVICE uint16_t float_to_bfloat16(float value) { return __bfloat16_as_ushort(__float2bfloat16_rn(value)); }

// More shared memory than every kernel may have must be allowed kernel by kernel, on each device.
template <auto kKernel>
void allow_shared_bytes(StreamContext& stream, size_t bytes) {
  constexpr size_t kAlwaysAllowed = 48U * 1024;
  constexpr int kDevices = 64;
  static std::atomic<size_t> allowed[kDevices];
  std::atomic<size_t>& here = allowed[stream.limits.index % kDevices];
  if (bytes > kAlwaysAllowed && here.load(std::memory_order_relaxed) < bytes) {
    stream.keep(cudaFuncSetAttribute(reinterpret_cast<const void*>(kKernel),
                                     cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
                "cudaFuncSetAttribute", __FILE__, __LINE__);
    here.store(bytes, std::memory_order_relaxed);
  }
}

// Enqueues; the first failure of the stream is kept in its context.
template <auto kKernel, class Args>
void launch(StreamContext& stream, Dim3 grid, uint32_t block, size_t shared_bytes, const Args& args) {
  allow_shared_bytes<kKernel>(stream, shared_bytes);
  Args copy = args;
  void* pointers[] = {&copy};
  stream.keep(cudaLaunchKernel(reinterpret_cast<const void*>(kKernel), dim3(grid.x, grid.y, grid.z), dim3(block),
                               pointers, shared_bytes, stream.stream),
              "cudaLaunchKernel", __FILE__, __LINE__);
}

// Programmatic dependent launch (CUDA programming guide): from compute capability 9.0 on.
template <auto kKernel, class Args>
void launch_behind(StreamContext& stream, Dim3 grid, uint32_t block, size_t shared_bytes, const Args& args) {
  if (!stream.limits.dependent_launches) {
    return launch<kKernel>(stream, grid, block, shared_bytes, args);
  }
  allow_shared_bytes<kKernel>(stream, shared_bytes);
  Args copy = args;
  void* pointers[] = {&copy};
  cudaLaunchAttribute behind{};
  behind.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  behind.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(grid.x, grid.y, grid.z);
  config.blockDim = dim3(block);
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream.stream;
  config.attrs = &behind;
  config.numAttrs = 1;
  stream.keep(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(kKernel), pointers), "cudaLaunchKernelExC",
              __FILE__, __LINE__);
}
AACO_DEVICE void wait_for_previous() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace aaco::gpu
