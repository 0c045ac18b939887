// SPDX-License-Identifier: MIT
// What follows a matrix multiplication where its library does not do it: the bias, the activation.
#pragma once

#include "device/gpu/stream_context.h"
#include "device/ops/gemm.h"

namespace aaco::gpu {

// Adds the bias to c.
void add_bias(StreamContext& stream, const GemmArgs& args);
// c = relu(c) or gelu(c), as the epilogue says.
void activate(StreamContext& stream, const GemmArgs& args);

}  // namespace aaco::gpu
