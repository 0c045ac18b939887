// SPDX-License-Identifier: MIT
#include "device/gpu/run_on_gpu.h"
#include "device/kernels/packed_access.h"

namespace aaco::gpu {

namespace {

template <class T>
AACO_KERNEL void binary_cross_entropy_kernel(BinaryCrossEntropyArgs args) {
  wait_for_previous();
  for_packs<1>(args.n, [&]<int kCount>(int64_t i) {
    const float score = load(static_cast<const T*>(args.score), i);
    const float target = args.target[i];
    const float weight = args.weight[i];
    const float shrunk = expf(-fabsf(score));  // at most 1, whatever the score
    // In terms that do not cancel.
    args.loss[i] = weight * ((score > 0 ? score * (1 - target) : -target * score) + log1pf(shrunk));
    const float sigmoid = (score < 0 ? shrunk : 1) / (1 + shrunk);
    store(static_cast<T*>(args.grad), i, args.scale * weight * (sigmoid - target));
  });
}

}  // namespace

void run_on_gpu(StreamContext& stream, const BinaryCrossEntropyArgs& args) {
  if (args.n == 0) {
    return;
  }
  with_float_type(args.dtype, [&]<class T>(T*) {
    launch_behind<binary_cross_entropy_kernel<T>>(stream, grid_for(args.n), kElementBlock, 0, args);
  });
}

}  // namespace aaco::gpu
