// SPDX-License-Identifier: MIT
// The norm of a gradient, for clipping: a block per part, then one block.
#include "device/gpu/run_on_gpu.h"
#include "device/kernels/packed_access.h"

namespace aaco::gpu {

namespace {

constexpr int kNumbers = 4;  // fp32 in 16 bytes

struct SquareSumKernelArgs {
  SquareSumArgs op;
  int64_t stride = 0;
};

template <int kPack>
AACO_KERNEL void square_sum_kernel(SquareSumKernelArgs args) {
  AACO_SHARED double scratch[32];
  wait_for_previous();
  const SquareSumArgs& op = args.op;
  const int64_t begin = static_cast<int64_t>(block_x()) * args.stride;
  const int64_t end = begin + args.stride < op.n ? begin + args.stride : op.n;
  float sum = 0;
  AACO_UNROLL_BY_4
  for (int64_t i = begin + static_cast<int64_t>(thread_x()) * kPack; i + kPack <= end; i += int64_t{kElementBlock} * kPack) {
    float values[kPack];
    load_pack<kPack>(op.in, i, values);
    AACO_UNROLL
    for (int j = 0; j < kPack; ++j) {
      sum += values[j] * values[j];
    }
  }
  const int64_t rest = begin < end ? (end - begin) % kPack : 0;
  if (thread_x() < rest) {
    const float value = op.in[end - rest + thread_x()];
    sum += value * value;
  }
  const double total = block_sum(static_cast<double>(sum), scratch);
  if (thread_x() == 0) {
    op.out[block_x()] = static_cast<float>(total);
  }
}

AACO_KERNEL void clip_scale_kernel(ClipScaleArgs args) {
  AACO_SHARED double scratch[32];
  wait_for_previous();
  double sum = 0;
  AACO_UNROLL_BY_4
  for (int64_t i = thread_x(); i < args.n; i += kElementBlock) {
    sum += static_cast<double>(args.sums[i]);
  }
  sum = block_sum(sum, scratch);
  if (thread_x() == 0) {
    const double scale = static_cast<double>(args.max_norm) / (sqrt(sum) + 1e-6);
    *args.scale = scale > 1 ? 1 : static_cast<float>(scale);  // NaN stays
  }
}

}  // namespace

void run_on_gpu(StreamContext& stream, const SquareSumArgs& args) {
  if (args.parts == 0) {
    return;
  }
  const Dim3 grid{static_cast<uint32_t>(args.parts), 1, 1};
  const SquareSumKernelArgs kernel_args{args, args.stride()};
  if (are_aligned(args.in)) {
    launch_behind<square_sum_kernel<kNumbers>>(stream, grid, kElementBlock, 0, kernel_args);
  } else {
    launch_behind<square_sum_kernel<1>>(stream, grid, kElementBlock, 0, kernel_args);
  }
}

void run_on_gpu(StreamContext& stream, const ClipScaleArgs& args) {
  launch_behind<clip_scale_kernel>(stream, {1, 1, 1}, kElementBlock, 0, args);
}

}  // namespace aaco::gpu
