// SPDX-License-Identifier: MIT
// The operations on a GPU: kernels/*/*.cu defines one function each, which enqueues on the stream and returns at once.
// GEMM is the vendor's (gpu/cuda, gpu/hip), and so is convolution where its library is there (conv_library.h).
#pragma once

#include "device/ops/op_list.h"

namespace aaco::gpu {

struct StreamContext;

#define AACO_OP_ON_GPU(Name, text) void run_on_gpu(StreamContext& stream, const Name##Args& args);
AACO_OPS(AACO_OP_ON_GPU)
#undef AACO_OP_ON_GPU

}  // namespace aaco::gpu
