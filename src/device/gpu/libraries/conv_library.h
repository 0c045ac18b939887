// SPDX-License-Identifier: MIT
// Convolution by the vendor's library, opened at run time: cuDNN (gpu/cuda/conv.cpp), MIOpen (gpu/hip/conv.cpp).
// kernels/matrix/conv.cu, an implicit GEMM, asks here first and does what no library does.
#pragma once

#include <string>

#include "device/gpu/stream_context.h"
#include "device/ops/gemm.h"

namespace aaco::gpu {

// "cuDNN 9.28.1", or "implicit GEMM: why".
std::string conv_library_text();

// Enqueues the whole operation, with bias and ReLU; failures are the stream's. False: nothing was enqueued, as there is
// no library, or it does not take this shape, or not at these addresses.
bool convolve_by_library(StreamContext& stream, const ConvArgs& args);

// Of a convolution whose library has left them out; kernels/matrix/conv_bias.cu.
void add_bias_and_relu(StreamContext& stream, const ConvArgs& args);

}  // namespace aaco::gpu
