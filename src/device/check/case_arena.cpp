// SPDX-License-Identifier: MIT
#include "device/check/case_arena.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "device/ops/float_array.h"
#include "device/ops/op_work.h"

namespace aaco {

namespace {

constexpr int64_t kGuardBytes = 256;
constexpr int kGuardByte = 0xC3;

// Lays the arrays out one after the other, and fills them.
class LayoutMemory final : public CaseMemory {
 public:
  LayoutMemory(CaseArena& arena, uint64_t seed, bool unaligned) : arena_(arena), seed_(seed), unaligned_(unaligned) {
    arena_.initial.grow_to(kGuardBytes);
  }

  void* random(Dtype dtype, int64_t n, double low, double high) override {
    return randomise(add(dtype, n, ArrayRole::kInput, 0), low, high);
  }

  void* given(Dtype dtype, int64_t n, const std::function<double(int64_t)>& value) override {
    std::byte* data = add(dtype, n, ArrayRole::kInput, 0);
    for (int64_t i = 0; i < n; ++i) {
      FillArgs fill_args{.out = data + i * size_of(dtype), .n = 1, .value = value(i), .dtype = dtype};
      run_on_cpu(fill_args);
    }
    return data;
  }

  void* output(Dtype dtype, int64_t n, double magnitude) override {
    std::byte* data = add(dtype, n, ArrayRole::kOutput, magnitude);
    const uint32_t poison = poison_of(dtype);
    for (int64_t i = 0; i < n; ++i) {
      std::memcpy(data + i * size_of(dtype), &poison, static_cast<size_t>(size_of(dtype)));
    }
    return data;
  }

  void* in_out(Dtype dtype, int64_t n, double low, double high, double magnitude) override {
    return randomise(add(dtype, n, ArrayRole::kInOut, magnitude), low, high);
  }

 private:
  std::byte* add(Dtype dtype, int64_t n, ArrayRole role, double magnitude) {
    const int64_t offset = arena_.initial.bytes() + (unaligned_ ? size_of(dtype) : 0);
    const CaseArray array{.dtype = dtype, .role = role, .n = n, .offset = offset, .magnitude = magnitude};
    arena_.arrays.push_back(array);
    arena_.initial.grow_to(array.end() + kGuardBytes);
    return arena_.initial.data() + offset;
  }

  std::byte* randomise(std::byte* data, double low, double high) {
    const CaseArray& array = arena_.arrays.back();
    run_on_cpu(RandomArgs{.out = data,
                          .n = array.n,
                          .seed = seed_ + arena_.arrays.size() * 0x9E3779B97F4A7C15U,
                          .low = low,
                          .high = high,
                          .dtype = array.dtype});
    return data;
  }

  CaseArena& arena_;
  uint64_t seed_;
  bool unaligned_;
};

// Hands out the arrays that were laid out, at another place.
class ReplayMemory final : public CaseMemory {
 public:
  ReplayMemory(const CaseArena& arena, void* base) : arena_(arena), base_(static_cast<std::byte*>(base)) {}

  void* random(Dtype dtype, int64_t n, double /*low*/, double /*high*/) override {
    return next(dtype, n, ArrayRole::kInput);
  }
  void* given(Dtype dtype, int64_t n, const std::function<double(int64_t)>& /*value*/) override {
    return next(dtype, n, ArrayRole::kInput);
  }
  void* output(Dtype dtype, int64_t n, double /*magnitude*/) override { return next(dtype, n, ArrayRole::kOutput); }
  void* in_out(Dtype dtype, int64_t n, double /*low*/, double /*high*/, double /*magnitude*/) override {
    return next(dtype, n, ArrayRole::kInOut);
  }

 private:
  void* next(Dtype dtype, int64_t n, ArrayRole role) {
    const bool known = next_ < arena_.arrays.size();
    if (!known || arena_.arrays[next_].dtype != dtype || arena_.arrays[next_].n != n ||
        arena_.arrays[next_].role != role) {
      static_cast<void>(std::fputs("aaco: a case asked for other arrays the second time\n", stderr));
      std::abort();
    }
    return base_ + arena_.arrays[next_++].offset;
  }

  const CaseArena& arena_;
  std::byte* base_;
  size_t next_ = 0;
};

std::vector<std::max_align_t> storage_for(OpId op) {
  return std::vector<std::max_align_t>(size_of_args(op) / sizeof(std::max_align_t) + 1);
}

}  // namespace

void ArenaImage::grow_to(int64_t bytes) {
  Block guards;
  std::memset(guards.bytes, kGuardByte, sizeof(guards.bytes));
  const auto blocks = (static_cast<size_t>(bytes) + sizeof(Block) - 1) / sizeof(Block);
  blocks_.resize(std::max(blocks, blocks_.size()), guards);
}

CaseArena lay_out(const OpCase& op_case, uint64_t seed) {
  CaseArena arena;
  LayoutMemory memory(arena, seed, op_case.unaligned);
  op_case.fill(memory, storage_for(op_case.op).data());
  return arena;
}

std::vector<std::max_align_t> fill_args(const OpCase& op_case, const CaseArena& arena, void* base) {
  std::vector<std::max_align_t> args = storage_for(op_case.op);
  ReplayMemory memory(arena, base);
  op_case.fill(memory, args.data());
  return args;
}

// Quiet NaNs that no arithmetic makes by itself.
uint32_t poison_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF32:
      return 0xfffadbadU;
    case Dtype::kF16:
      return 0xfebdU;
    case Dtype::kBf16:
      return 0xfffdU;
    case Dtype::kI32:
      return 0xbadbadbaU;
    case Dtype::kU8:
      return 0xa5U;
  }
  std::abort();
}

}  // namespace aaco
