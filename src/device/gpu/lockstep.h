// SPDX-License-Identifier: MIT
// What portability.h promises, on the host: with AACO_LOCKSTEP (32 or 64) a kernel is plain C++. Every thread of a
// block is a fiber; the lanes of a wave meet at each wave primitive, the threads of a block at sync_block (lockstep/
// block.h has the rules). A kernel that breaks them fails with a message and does not hang.
//
// Shared memory is filled with NaN before each block. Static shared memory is thread-local: a block runs on one host
// thread. So kernels must be compiled into a shared library (tests/lockstep/), in which nothing else is thread-local.
#pragma once

#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <source_location>
#include <stdexcept>
#include <type_traits>

#include "device/gpu/lockstep/block.h"
#include "device/gpu/lockstep/kernel.h"
#include "device/gpu/stream_context.h"
#include "device/ops/dtype.h"

#define AACO_KERNEL
#define AACO_DEVICE inline
#define AACO_SHARED static thread_local
#define AACO_DYNAMIC_SHARED(type, name) \
  type* name = reinterpret_cast<type*>(::aaco::gpu::lockstep::this_thread->dynamic_shared)

namespace aaco::gpu {

inline constexpr int kWaveLanes = AACO_LOCKSTEP;
static_assert(kWaveLanes == 32 || kWaveLanes == 64);

inline uint32_t thread_x() { return lockstep::this_thread->index; }
inline uint32_t block_x() { return lockstep::this_thread->block.x; }
inline uint32_t block_y() { return lockstep::this_thread->block.y; }
inline uint32_t block_z() { return lockstep::this_thread->block.z; }
inline uint32_t block_size() { return lockstep::this_thread->block_size; }
inline uint32_t grid_x() { return lockstep::this_thread->grid.x; }
inline int lane() { return static_cast<int>(thread_x() % kWaveLanes); }
inline int wave() { return static_cast<int>(thread_x() / kWaveLanes); }

namespace lockstep {

// A lane outside the wave is the caller itself, as on the devices.
template <class T>
T exchange(const char* primitive, T value, int from, const Site& site) {
  static_assert(std::is_trivially_copyable_v<T> && (sizeof(T) == 4 || sizeof(T) == 8));
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  const int source = from >= 0 && from < kWaveLanes ? from : lane();
  return std::bit_cast<T>(static_cast<Bits>(shuffle_bits(primitive, std::bit_cast<Bits>(value), source, site)));
}

}  // namespace lockstep

// `site` is where the kernel calls: lanes that meet must have come to the same call.
using lockstep::Site;

template <class T>
T shuffle_xor(T value, int mask, Site site = Site::current()) {
  return lockstep::exchange("shuffle_xor", value, lane() ^ mask, site);
}
template <class T>
T shuffle(T value, int from, Site site = Site::current()) {
  return lockstep::exchange("shuffle", value, from & (kWaveLanes - 1), site);
}
template <class T>
T shuffle_down(T value, int distance, Site site = Site::current()) {
  return lockstep::exchange("shuffle_down", value, lane() + distance, site);
}
inline uint64_t ballot(bool set, Site site = Site::current()) { return lockstep::ballot_bits(set, site); }
inline int count_bits(uint64_t bits) { return std::popcount(bits); }
inline int lowest_bit(uint64_t bits) { return std::countr_zero(bits); }
inline void sync_wave(Site site = Site::current()) { lockstep::meet_wave(site); }
inline void sync_block(Site site = Site::current()) { lockstep::meet_block(site); }

// An address that is not a multiple of kBytes would fail on the devices.
template <int kBytes>
void copy_async(void* to, const void* from, bool exists) {
  static_assert(kBytes == 4 || kBytes == 16);
  if (reinterpret_cast<uintptr_t>(to) % kBytes != 0 || reinterpret_cast<uintptr_t>(from) % kBytes != 0) {
    throw std::invalid_argument("copy_async");
  }
  lockstep::begin_copy({to, exists ? from : nullptr, kBytes});
}
inline void wait_for_copies() { lockstep::make_copies(); }

inline float atomic_add(float* to, float value) { return std::atomic_ref(*to).fetch_add(value); }
inline int32_t atomic_add(int32_t* to, int32_t value) { return std::atomic_ref(*to).fetch_add(value); }
inline uint64_t atomic_add(uint64_t* to, uint64_t value) { return std::atomic_ref(*to).fetch_add(value); }
inline uint64_t atomic_min(uint64_t* to, uint64_t value) {
  std::atomic_ref target(*to);
  uint64_t old = target.load();
  while (value < old && !target.compare_exchange_weak(old, value)) {
  }
  return old;
}
inline uint64_t atomic_max(uint64_t* to, uint64_t value) {
  std::atomic_ref target(*to);
  uint64_t old = target.load();
  while (value > old && !target.compare_exchange_weak(old, value)) {
  }
  return old;
}

inline uint32_t load_system(const uint32_t* from) { return __atomic_load_n(from, __ATOMIC_ACQUIRE); }
inline void store_system(uint32_t* to, uint32_t value) { __atomic_store_n(to, value, __ATOMIC_RELEASE); }

inline float exp2_fast(float x) { return x < -126 ? 0 : std::exp2(x); }

// CLOCK_MONOTONIC, 1'000'000 kHz. The block's other threads run meanwhile, so that a kernel may wait for a time.
inline uint64_t clock_ticks() { return lockstep::clock_after_others(); }

inline float half_to_float(uint16_t bits) { return to_float(Half{bits}); }
inline uint16_t float_to_half(float value) { return to_half(value).bits; }
inline float bfloat16_to_float(uint16_t bits) { return to_float(Bfloat16{bits}); }
inline uint16_t float_to_bfloat16(float value) { return to_bfloat16(value).bits; }

// Runs the kernel before it returns. The first failure is kept, and nothing is run after it.
template <auto kKernel, class Args>
void launch(StreamContext& stream, Dim3 grid, uint32_t block, size_t shared_bytes, const Args& args) {
  static_assert(std::is_trivially_copyable_v<Args>, "arguments are copied as bytes");
  lockstep::run(stream, lockstep::Registered<kKernel, Args>::kKernelEntry, {grid, block, shared_bytes}, &args);
}

// The same; a thread that has not called wait_for_previous() when it ends is a failure.
template <auto kKernel, class Args>
void launch_behind(StreamContext& stream, Dim3 grid, uint32_t block, size_t shared_bytes, const Args& args) {
  lockstep::run(stream, lockstep::Registered<kKernel, Args>::kKernelEntry, {grid, block, shared_bytes, true}, &args);
}
inline void wait_for_previous() { lockstep::this_thread->behind = false; }

}  // namespace aaco::gpu
