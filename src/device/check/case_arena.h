// SPDX-License-Identifier: MIT
// One case's arrays, laid out one after the other in one piece of memory with guard bytes between them, and what that
// piece holds before the operation runs.
#pragma once

#include <cstddef>
#include <vector>

#include "device/check/op_case.h"

namespace aaco {

enum class ArrayRole : uint8_t { kInput, kOutput, kInOut };

struct CaseArray {
  Dtype dtype = Dtype::kF32;
  ArrayRole role = ArrayRole::kInput;
  int64_t n = 0;
  int64_t offset = 0;  // bytes
  double magnitude = 0;

  int64_t bytes() const { return n * size_of(dtype); }
  int64_t end() const { return offset + bytes(); }
};

// Bytes that begin at an address that 256 divides.
class ArenaImage {
 public:
  std::byte* data() { return reinterpret_cast<std::byte*>(blocks_.data()); }
  const std::byte* data() const { return reinterpret_cast<const std::byte*>(blocks_.data()); }
  int64_t bytes() const { return static_cast<int64_t>(blocks_.size() * sizeof(Block)); }
  // Further bytes are guards.
  void grow_to(int64_t bytes);

 private:
  struct alignas(256) Block {
    std::byte bytes[256];
  };
  std::vector<Block> blocks_;
};

struct CaseArena {
  std::vector<CaseArray> arrays;
  ArenaImage initial;
};

CaseArena lay_out(const OpCase& op_case, uint64_t seed);
// The arguments for arrays at `base`, as many bytes as the operation's arguments take.
std::vector<std::max_align_t> fill_args(const OpCase& op_case, const CaseArena& arena, void* base);

// What every element of an output holds before.
uint32_t poison_of(Dtype dtype);

}  // namespace aaco
