// SPDX-License-Identifier: MIT
// The vendor's matrix multiplication, opened at run time: cuBLASLt (gpu/cuda/gemm.cpp), rocBLAS (gpu/hip/gemm.cpp).
// run_on_gpu(StreamContext&, const GemmArgs&) runs it.
#pragma once

#include <string>

namespace aaco::gpu {

// "cuBLASLt 13.0.2", or "unavailable: why".
std::string gemm_library_text();

}  // namespace aaco::gpu
