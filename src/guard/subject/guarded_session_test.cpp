// SPDX-License-Identifier: MIT
#include "guard/subject/guarded_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "analysis/timeline/test_trace.h"

namespace aaco {
namespace {

using testing::Pair;
using testing::UnorderedElementsAre;

// Two devices of one launch are no two measurements of it. One has a copy and idle time, the other neither.
TEST(GuardedSession, ATraceHasOneValueOfEachFigure) {
  TestTrace trace;
  const uint32_t first = trace.stream(0, 0, 7);
  const uint32_t second = trace.stream(1, 0, 7);
  trace.add(first, EventKind::kKernel, "gemm", 0, 100);
  trace.add(second, EventKind::kKernel, "gemm", 0, 100);
  trace.add(second, EventKind::kCopy, "Memcpy HtoD", 100, 40);
  trace.add(second, EventKind::kKernel, "gemm", 200, 100);
  EXPECT_THAT(trace_figures(summarise_trace(trace.table), trace.table.strings),
              UnorderedElementsAre(Pair("window", 300), Pair("computation", 150), Pair("exposed copies", 20),
                                   Pair("idle", 30), Pair("kernel gemm", 150), Pair("kernel Memcpy HtoD", 20)));
}

// The longest kernels of any device, wherever else they ran: on the other device it is not among the longest.
TEST(GuardedSession, AKernelOfATraceIsCountedOnAllDevices) {
  TestTrace trace;
  const uint32_t first = trace.stream(0, 0, 7);
  const uint32_t second = trace.stream(1, 0, 7);
  constexpr int64_t kKernels = 30;
  for (int64_t i = 0; i < kKernels; ++i) {
    trace.add(first, EventKind::kKernel, "k" + std::to_string(i), 100 * i, 50 - i);
    trace.add(second, EventKind::kKernel, "k" + std::to_string(i), 100 * i, 10 + i);
  }
  const auto figures = trace_figures(summarise_trace(trace.table), trace.table.strings);
  for (int64_t i = 0; i < kKernels; ++i) {
    EXPECT_EQ(figures.at("kernel k" + std::to_string(i)), 30) << i;
  }
}

TEST(GuardedSession, ATraceTellsItsSteps) {
  TestTrace trace;
  const uint32_t host = trace.thread(0);
  const uint32_t stream = trace.stream(0, 0, 7);
  trace.add(host, EventKind::kHostCall, "cudaLaunchKernel", 10, 5, 1);
  trace.add(stream, EventKind::kKernel, "gemm", 20, 100, 1);
  trace.add(host, EventKind::kHostCall, "cudaLaunchKernel", 160, 5, 2);
  trace.add(stream, EventKind::kKernel, "gemm", 170, 100, 2);
  EXPECT_EQ(trace_steps(summarise_trace(trace.table)), 0U);
  trace.add(host, EventKind::kHostRange, "ProfilerStep#4", 0, 150);
  trace.add(host, EventKind::kHostRange, "ProfilerStep#5", 150, 150);
  EXPECT_EQ(trace_steps(summarise_trace(trace.table)), 2U);
}

}  // namespace
}  // namespace aaco
