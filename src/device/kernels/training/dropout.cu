// SPDX-License-Identifier: MIT
// Packs of elements whose words are whole blocks of the generator's; else each element makes the block that its word is
// of.
#include "device/gpu/run_on_gpu.h"
#include "device/kernels/elementwise/gelu.h"
#include "device/kernels/packed_access.h"
#include "device/kernels/training/dropout_mask.h"

namespace aaco::gpu {

namespace {

constexpr int kWords = 4;  // of a block of the generator's

// The kept ones of elements [i, i + kCount), scaled; the others become 0.
template <int kCount>
AACO_DEVICE void keep(const DropoutMask& mask, int32_t step, int64_t i, float* x) {
  const uint32_t below = dropped_below(mask.probability);
  const float scale = scale_of_kept(mask.probability);
  const auto number = static_cast<uint64_t>(mask.first + i);
  if constexpr (kCount == 1) {
    const PhiloxBlock words = dropout_words(mask, step, number / kWords);
    const uint64_t place = number % kWords;
    const uint32_t low = place == 0 ? words.word[0] : words.word[1];
    const uint32_t high = place == 2 ? words.word[2] : words.word[3];
    x[0] = (place < 2 ? low : high) < below ? 0 : x[0] * scale;
  } else {
    AACO_UNROLL
    for (int block = 0; block < kCount / kWords; ++block) {
      const PhiloxBlock words = dropout_words(mask, step, number / kWords + static_cast<uint64_t>(block));
      AACO_UNROLL
      for (int j = 0; j < kWords; ++j) {
        float& value = x[block * kWords + j];
        value = words.word[j] < below ? 0 : value * scale;
      }
    }
  }
}

template <class T, int kPack>
AACO_KERNEL void dropout_kernel(DropoutArgs args) {
  wait_for_previous();
  const int32_t step = args.mask.clock->step;
  for_packs<kPack>(args.n, [&]<int kCount>(int64_t i) {
    float x[kCount];
    load_pack<kCount>(static_cast<const T*>(args.in), i, x);
    if (args.op == UnaryOp::kGelu) {
      AACO_UNROLL
      for (int j = 0; j < kCount; ++j) {
        x[j] *= normal_below(x[j]);
      }
    }
    keep<kCount>(args.mask, step, i, x);
    if (args.add != nullptr) {
      float add[kCount];
      load_pack<kCount>(static_cast<const T*>(args.add), i, add);
      AACO_UNROLL
      for (int j = 0; j < kCount; ++j) {
        x[j] += add[j];
      }
    }
    store_pack<kCount>(static_cast<T*>(args.out), i, x);
  });
}

template <class T, int kPack>
AACO_KERNEL void dropout_grad_kernel(DropoutGradArgs args) {
  wait_for_previous();
  const int32_t step = args.mask.clock->step;
  for_packs<kPack>(args.n, [&]<int kCount>(int64_t i) {
    float grad[kCount];
    load_pack<kCount>(static_cast<const T*>(args.out_grad), i, grad);
    keep<kCount>(args.mask, step, i, grad);
    if (args.op == UnaryOp::kGelu) {
      float x[kCount];
      load_pack<kCount>(static_cast<const T*>(args.in), i, x);
      AACO_UNROLL
      for (int j = 0; j < kCount; ++j) {
        grad[j] *= gelu_derivative(x[j]);
      }
    }
    store_pack<kCount>(static_cast<T*>(args.in_grad), i, grad);
  });
}

bool has_whole_blocks(const DropoutMask& mask) { return mask.first % kWords == 0; }

}  // namespace

void run_on_gpu(StreamContext& stream, const DropoutArgs& args) {
  if (args.n == 0) {
    return;
  }
  with_float_type(args.dtype, [&]<class T>(T*) {
    constexpr int kPack = packed_count<T>();
    if (has_whole_blocks(args.mask) && are_aligned(args.in, args.add, args.out)) {
      launch_behind<dropout_kernel<T, kPack>>(stream, grid_for((args.n + kPack - 1) / kPack), kElementBlock, 0, args);
    } else {
      launch_behind<dropout_kernel<T, 1>>(stream, grid_for(args.n), kElementBlock, 0, args);
    }
  });
}

void run_on_gpu(StreamContext& stream, const DropoutGradArgs& args) {
  if (args.n == 0) {
    return;
  }
  with_float_type(args.dtype, [&]<class T>(T*) {
    constexpr int kPack = packed_count<T>();
    if (has_whole_blocks(args.mask) && are_aligned(args.in, args.out_grad, args.in_grad)) {
      launch_behind<dropout_grad_kernel<T, kPack>>(stream, grid_for((args.n + kPack - 1) / kPack), kElementBlock, 0,
                                                   args);
    } else {
      launch_behind<dropout_grad_kernel<T, 1>>(stream, grid_for(args.n), kElementBlock, 0, args);
    }
  });
}

}  // namespace aaco::gpu
