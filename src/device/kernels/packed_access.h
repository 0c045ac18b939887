// SPDX-License-Identifier: MIT
// For kernels: arrays read and written 16 bytes at a time where the addresses allow it, else element by element. A
// kernel has a template parameter kPack, elements per access: packed_count() of its types, or 1.
#pragma once

#include <type_traits>

#include "device/gpu/portability.h"

namespace aaco::gpu {

// What a kernel computes with: integers as such, all others in fp32.
template <class T>
using ComputeType = std::conditional_t<std::is_integral_v<T>, T, float>;

template <class T, int kCount>
struct alignas(kCount * sizeof(T) < 16 ? kCount * sizeof(T) : 16) Pack {
  T values[kCount];
};

// Elements of the largest of the types in 16 bytes.
template <class... T>
constexpr int packed_count() {
  size_t largest = 1;
  ((largest = sizeof(T) > largest ? sizeof(T) : largest), ...);
  return static_cast<int>(16 / largest);
}

AACO_DEVICE int32_t load(const int32_t* data, int64_t i) { return data[i]; }
AACO_DEVICE void store(int32_t* data, int64_t i, int32_t value) { data[i] = value; }

// Elements [i, i + kPack). With kPack above 1, the address of element i is one that the size of the pack, or 16,
// divides.
template <int kPack, class T>
AACO_DEVICE void load_pack(const T* data, int64_t i, ComputeType<T>* to) {
  const auto pack = *reinterpret_cast<const Pack<T, kPack>*>(data + i);
  AACO_UNROLL
  for (int j = 0; j < kPack; ++j) {
    to[j] = load(pack.values, j);
  }
}

template <int kPack, class T>
AACO_DEVICE void store_pack(T* data, int64_t i, const ComputeType<T>* from) {
  Pack<T, kPack> pack;
  AACO_UNROLL
  for (int j = 0; j < kPack; ++j) {
    store(pack.values, j, from[j]);
  }
  *reinterpret_cast<Pack<T, kPack>*>(data + i) = pack;
}

// A pack that is kept as it lies in memory. Elements of two bytes each in a variable of its own, as in a Pack, would be
// taken apart where they are loaded, and the thread would wait there for each load.
template <class T, int kCount>
struct RawPack {
  using Word = std::conditional_t<(sizeof(T) * kCount >= 4), uint32_t, uint16_t>;
  static constexpr int kWords = static_cast<int>(sizeof(T) * kCount / sizeof(Word));
  struct alignas(Pack<T, kCount>) Words {
    Word words[kWords];
  };
  Words held;

  // Elements [i, i + kCount), as load_pack() has them.
  AACO_DEVICE void fetch(const T* data, int64_t i) { held = *reinterpret_cast<const Words*>(data + i); }
  AACO_DEVICE float value(int j) const {
    constexpr int kInWord = static_cast<int>(sizeof(Word) / sizeof(T));
    const Word word = held.words[j / kInWord];
    if constexpr (sizeof(T) == sizeof(Word)) {
      return load(reinterpret_cast<const T*>(&word), 0);
    } else {
      const auto bits = static_cast<uint16_t>(word >> (j % kInWord * 16));
      return load(reinterpret_cast<const T*>(&bits), 0);
    }
  }
};

// body.operator()<kPack>(i) for every whole pack of [0, n), body.operator()<1>(i) for what remains, each by one thread
// of the grid.
template <int kPack, class Body>
AACO_DEVICE void for_packs(int64_t n, Body&& body) {
  const int64_t stride = static_cast<int64_t>(grid_x()) * block_size();
  const int64_t first = static_cast<int64_t>(block_x()) * block_size() + thread_x();
  const int64_t packs = n / kPack;
  for (int64_t i = first; i < packs; i += stride) {
    body.template operator()<kPack>(i * kPack);
  }
  if constexpr (kPack > 1) {
    for (int64_t i = packs * kPack + first; i < n; i += stride) {
      body.template operator()<1>(i);
    }
  }
}

// Host: whether all addresses allow packs; null does.
template <class... T>
bool are_aligned(const T*... pointers) {
  return ((reinterpret_cast<uintptr_t>(pointers) % 16 == 0) && ...);
}

inline constexpr uint32_t kElementBlock = 256;

// Host: blocks of kElementBlock threads for one pack per thread; beyond a device's fill, threads take several.
inline Dim3 grid_for(int64_t packs) {
  constexpr int64_t kMostBlocks = 1 << 16;
  const int64_t blocks = (packs + kElementBlock - 1) / kElementBlock;
  return {static_cast<uint32_t>(blocks < kMostBlocks ? blocks : kMostBlocks), 1, 1};
}

}  // namespace aaco::gpu
