// SPDX-License-Identifier: MIT
#include "report/trace_page/idle_wait.h"

#include <gtest/gtest.h>

#include "analysis/timeline/test_trace.h"

namespace aaco::report {
namespace {

struct IdleWait : testing::Test {
  TestTrace trace;
  uint32_t host = trace.thread(0);
  uint32_t stream = trace.stream(0, 1, 7);
};

TEST_F(IdleWait, NamesTheLongestCallThatWaits) {
  trace.add(host, EventKind::kHostCall, "hipMemcpyWithStream", 0, 9'000);
  trace.add(host, EventKind::kHostCall, "hipLaunchKernel", 9'000, 20'000);  // does not wait
  trace.add(stream, EventKind::kKernel, "k", 8'500, 500);
  EXPECT_EQ(longest_idle_wait(trace.table, 8'500), "hipMemcpyWithStream, a copy that blocks the host, for 9.000 us");
}

TEST_F(IdleWait, OfACallBesideWorkIsNone) {
  trace.add(host, EventKind::kHostCall, "hipMemcpyWithStream", 0, 9'000);
  trace.add(stream, EventKind::kKernel, "k", 0, 1'000);  // more than a tenth
  EXPECT_EQ(longest_idle_wait(trace.table, 8'500), "");
}

TEST_F(IdleWait, OfACallThatIsShortIsNone) {
  trace.add(host, EventKind::kHostCall, "hipStreamSynchronize", 0, 4'000);
  EXPECT_EQ(longest_idle_wait(trace.table, 8'500), "");
}

}  // namespace
}  // namespace aaco::report
