// SPDX-License-Identifier: MIT
#include "analysis/timeline/waiting_call.h"

#include <gtest/gtest.h>

namespace aaco {
namespace {

TEST(WaitingCall, CopiesThatBlockByAnyProfilersName) {
  for (const char* call : {"cudaMemcpy", "cudaMemcpy_v3020", "hipMemcpy", "cuMemcpyDtoH_v2", "cudaMemcpyToSymbol_v3020",
                           "cudaDeviceSynchronize_v3020", "hipStreamSynchronize"}) {
    EXPECT_TRUE(waits_for_device(call)) << call;
  }
  for (const char* call : {"cudaMemcpyAsync", "cudaMemcpyAsync_v3020", "cudaLaunchKernel_v7000", "cudaMemcpy_volta",
                           "cudaMemcpy_v", "_v3020", ""}) {
    EXPECT_FALSE(waits_for_device(call)) << call;
  }
}

}  // namespace
}  // namespace aaco
