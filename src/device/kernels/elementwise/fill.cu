// SPDX-License-Identifier: MIT
// Constants and random numbers.
#include "device/gpu/run_on_gpu.h"
#include "device/kernels/packed_access.h"
#include "device/kernels/elementwise/random_range.h"

namespace aaco::gpu {

namespace {

// Elements as bits: one kernel per size.
struct FillKernelArgs {
  void* out = nullptr;
  int64_t n = 0;
  uint32_t bits = 0;
};

template <class Bits, int kPack>
AACO_KERNEL void fill(FillKernelArgs args) {
  for_packs<kPack>(args.n, [&]<int kCount>(int64_t i) {
    Pack<Bits, kCount> pack;
    AACO_UNROLL
    for (int j = 0; j < kCount; ++j) {
      pack.values[j] = static_cast<Bits>(args.bits);
    }
    *reinterpret_cast<Pack<Bits, kCount>*>(static_cast<Bits*>(args.out) + i) = pack;
  });
}

struct RandomKernelArgs {
  void* out = nullptr;
  int64_t n = 0;
  uint64_t seed = 0;
  UniformRange range;
};

AACO_DEVICE void set_random(float* to, uint32_t word, const UniformRange& range) { *to = uniform_float(word, range); }
AACO_DEVICE void set_random(Half* to, uint32_t word, const UniformRange& range) {
  store(to, 0, uniform_float(word, range));
}
AACO_DEVICE void set_random(Bfloat16* to, uint32_t word, const UniformRange& range) {
  store(to, 0, uniform_float(word, range));
}
AACO_DEVICE void set_random(int32_t* to, uint32_t word, const UniformRange& range) {
  *to = static_cast<int32_t>(uniform_integer(word, range));
}
AACO_DEVICE void set_random(uint8_t* to, uint32_t word, const UniformRange& range) {
  *to = static_cast<uint8_t>(uniform_integer(word, range));
}

// Each thread makes whole blocks of the generator, four elements, whatever the alignment.
template <class T, bool kAligned>
AACO_KERNEL void random(RandomKernelArgs args) {
  constexpr int kBlock = 4;
  T* out = static_cast<T*>(args.out);
  const int64_t blocks = (args.n + kBlock - 1) / kBlock;
  const int64_t stride = static_cast<int64_t>(grid_x()) * block_size();
  for (int64_t b = static_cast<int64_t>(block_x()) * block_size() + thread_x(); b < blocks; b += stride) {
    const PhiloxBlock words = philox_block(static_cast<uint64_t>(b), args.seed);
    Pack<T, kBlock> pack;
    AACO_UNROLL
    for (int j = 0; j < kBlock; ++j) {
      set_random(&pack.values[j], words.word[j], args.range);
    }
    if (kAligned && (b + 1) * kBlock <= args.n) {
      *reinterpret_cast<Pack<T, kBlock>*>(out + b * kBlock) = pack;
      continue;
    }
    AACO_UNROLL
    for (int j = 0; j < kBlock; ++j) {
      if (b * kBlock + j < args.n) {
        out[b * kBlock + j] = pack.values[j];
      }
    }
  }
}

uint32_t bits_of(const FillArgs& args) {
  switch (args.dtype) {
    case Dtype::kF32:
      return std::bit_cast<uint32_t>(static_cast<float>(args.value));
    case Dtype::kF16:
      return to_half(static_cast<float>(args.value)).bits;
    case Dtype::kBf16:
      return to_bfloat16(static_cast<float>(args.value)).bits;
    case Dtype::kI32:
      return static_cast<uint32_t>(static_cast<int32_t>(args.value));
    case Dtype::kU8:
      return static_cast<uint8_t>(args.value);
  }
  return 0;
}

template <class Bits>
void launch_fill(StreamContext& stream, const FillArgs& args) {
  constexpr int kPack = packed_count<Bits>();
  const FillKernelArgs kernel_args{args.out, args.n, bits_of(args)};
  if (are_aligned(args.out)) {
    launch<fill<Bits, kPack>>(stream, grid_for((args.n + kPack - 1) / kPack), kElementBlock, 0, kernel_args);
  } else {
    launch<fill<Bits, 1>>(stream, grid_for(args.n), kElementBlock, 0, kernel_args);
  }
}

template <class T>
void launch_random(StreamContext& stream, const RandomArgs& args) {
  const RandomKernelArgs kernel_args{args.out, args.n, args.seed, uniform_range(args)};
  const Dim3 grid = grid_for((args.n + 3) / 4);
  if (are_aligned(args.out)) {
    launch<random<T, true>>(stream, grid, kElementBlock, 0, kernel_args);
  } else {
    launch<random<T, false>>(stream, grid, kElementBlock, 0, kernel_args);
  }
}

}  // namespace

void run_on_gpu(StreamContext& stream, const FillArgs& args) {
  if (args.n == 0) {
    return;
  }
  switch (size_of(args.dtype)) {
    case 4:
      return launch_fill<uint32_t>(stream, args);
    case 2:
      return launch_fill<uint16_t>(stream, args);
    default:
      return launch_fill<uint8_t>(stream, args);
  }
}

void run_on_gpu(StreamContext& stream, const RandomArgs& args) {
  if (args.n == 0) {
    return;
  }
  if (args.dtype == Dtype::kI32) {
    return launch_random<int32_t>(stream, args);
  }
  if (args.dtype == Dtype::kU8) {
    return launch_random<uint8_t>(stream, args);
  }
  with_float_type(args.dtype, [&](auto* type) { launch_random<std::remove_pointer_t<decltype(type)>>(stream, args); });
}

}  // namespace aaco::gpu
