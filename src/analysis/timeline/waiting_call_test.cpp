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

TEST(WaitingCall, WaitsForSignalsOfHsa) {
  for (const char* call : {"hsa_signal_wait_scacquire", "hsa_signal_wait_relaxed", "hsa_amd_signal_wait_any"}) {
    EXPECT_TRUE(waits_for_device(call)) << call;
  }
  EXPECT_FALSE(waits_for_device("hsa_signal_store_screlease"));
  EXPECT_FALSE(waits_for_device("my_signal_wait"));
}

TEST(WaitingCall, CallsInWhichAThreadMaySleep) {
  for (const char* call : {"poll", "pthread_cond_wait", "read", "sem_timedwait", "epoll_wait", "nanosleep"}) {
    EXPECT_TRUE(may_sleep(call)) << call;
    EXPECT_FALSE(waits_for_device(call)) << call;
  }
  for (const char* call : {"", "write", "ioctl", "mmap64", "pthread_cond_signal", "cudaLaunchKernel", "polls"}) {
    EXPECT_FALSE(may_sleep(call)) << call;
  }
}

}  // namespace
}  // namespace aaco
