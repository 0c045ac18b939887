// SPDX-License-Identifier: MIT
#include "analysis/timeline/offenders/trace_offenders.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>

#include "analysis/timeline/advice/test_findings.h"
#include "analysis/timeline/test_trace.h"

namespace aaco {
namespace {

const Offender* named(const TraceSummary& summary, const std::string& subject) {
  const auto offender = std::find_if(summary.offenders.begin(), summary.offenders.end(),
                                     [&](const Offender& candidate) { return candidate.subject == subject; });
  return offender == summary.offenders.end() ? nullptr : &*offender;
}

TEST(TraceOffenders, KernelsWhereNoOperatorIsKnown) {
  TestTrace trace;
  const uint32_t stream = trace.stream(0, 0, 7);
  trace.add(stream, EventKind::kKernel, "long", 0, 700'000);
  trace.add(stream, EventKind::kKernel, "short", 700'000, 300'000);
  const TraceSummary summary = summarise_trace(trace.table);
  ASSERT_EQ(summary.offenders.size(), 2);
  EXPECT_EQ(summary.offenders[0].subject, "long");
  EXPECT_EQ(summary.offenders[0].stake_ns, 700'000);
  EXPECT_DOUBLE_EQ(summary.offenders[0].share, 0.7);
  EXPECT_EQ(summary.offenders[0].rule, "inspect-the-longest-kernel");
  EXPECT_TRUE(summary.offenders[0].stake_basis.starts_with("upper bound"));
}

TEST(TraceOffenders, KernelsWhoseLongNamesBeginAlikeAreTwo) {
  const std::string same(100, 'k');
  TestTrace trace;
  const uint32_t stream = trace.stream(0, 0, 7);
  trace.add(stream, EventKind::kKernel, same + "a", 0, 600'000);
  trace.add(stream, EventKind::kKernel, same + "b", 600'000, 400'000);
  const TraceSummary summary = summarise_trace(trace.table);
  ASSERT_EQ(summary.offenders.size(), 2);
  EXPECT_EQ(summary.offenders[1].stake_ns, 400'000);
  EXPECT_EQ(summary.offenders[1].evidence.find("devices"), std::string::npos);
}

TEST(TraceOffenders, ExposedCommunicationAndCopiesByTheBudget) {
  TestTrace trace;
  const uint32_t stream = trace.stream(0, 0, 7);
  trace.add(stream, EventKind::kKernel, "k", 0, 500'000);
  trace.add(stream, EventKind::kKernel, "ncclDevKernel_AllReduce", 500'000, 300'000);
  trace.add(stream, EventKind::kCopy, "Memcpy HtoD (Pageable -> Device)", 800'000, 200'000);
  const TraceSummary summary = summarise_trace(trace.table);
  const Offender* communication = named(summary, "exposed communication");
  ASSERT_NE(communication, nullptr);
  EXPECT_EQ(communication->stake_ns, 300'000);
  EXPECT_EQ(communication->rule, "overlap-communication");
  const Offender* copies = named(summary, "exposed copies");
  ASSERT_NE(copies, nullptr);
  EXPECT_EQ(copies->stake_ns, 200'000);
  EXPECT_EQ(copies->rule, "hide-copies");
}

TEST(TraceOffenders, CopiesWithinTheDeviceAreAnotherMatter) {
  TestTrace trace;
  const uint32_t stream = trace.stream(0, 0, 7);
  trace.add(stream, EventKind::kCopy, "Memcpy DtoD (Device -> Device)", 0, 200'000);
  EXPECT_EQ(named(summarise_trace(trace.table), "exposed copies")->rule, "avoid-device-copies");
}

TEST(TraceOffenders, IdleByWhoHeldIt) {
  TestTrace trace;
  const uint32_t host = trace.thread(0);
  const uint32_t stream = trace.stream(0, 0, 7);
  trace.add(stream, EventKind::kKernel, "k", 0, 100'000, 1);
  trace.add(host, EventKind::kHostCall, "cudaDeviceSynchronize", 0, 300'000);
  trace.add(host, EventKind::kHostCall, "cudaLaunchKernel", 500'000, 10'000, 2);
  trace.add(stream, EventKind::kKernel, "k", 510'000, 490'000, 2);
  const TraceSummary summary = summarise_trace(trace.table);
  const Offender* waits = named(summary, "idle: the host waited for the device");
  ASSERT_NE(waits, nullptr);
  EXPECT_EQ(waits->stake_ns, 200'000);
  EXPECT_EQ(waits->rule, "avoid-synchronisation");
  EXPECT_NE(waits->evidence.find("cudaDeviceSynchronize"), std::string::npos);
  const Offender* late = named(summary, "idle: launched too late");
  ASSERT_NE(late, nullptr);
  EXPECT_EQ(late->stake_ns, 210'000);
  EXPECT_EQ(late->rule, "keep-the-device-fed");
}

// 20 ms idle in an operator's first call, 8 ms of it in cudaMalloc, and later 16 ms of which nothing is known: two
// findings have the 8 ms, and explain nothing of the 16.
TEST(TraceOffenders, IdleTimeOfTwoFindingsIsExplainedOnce) {
  constexpr int64_t kMs = 1'000'000;
  LaunchingTrace trace;
  trace.launch(0, 1, "k", 0, 10 * kMs);
  trace.add(trace.host, EventKind::kHostOp, "aten::cudnn_convolution", 10 * kMs, 20 * kMs);
  trace.add(trace.host, EventKind::kHostCall, "cudaMalloc", 12 * kMs, 8 * kMs);
  trace.launch(30 * kMs, 1'000, "k", 30 * kMs + 1'000, 30 * kMs);
  trace.add(trace.host, EventKind::kHostOp, "aten::cudnn_convolution", 31 * kMs, 1 * kMs);
  trace.launch(76 * kMs, 1'000, "k", 76 * kMs + 1'000, 30 * kMs);
  const TraceSummary summary = summarise_trace(trace.table);
  ASSERT_NE(finding_named(summary, "first-use"), nullptr);
  EXPECT_EQ(finding_named(summary, "first-use")->cost_ns, 20 * kMs);
  ASSERT_NE(finding_named(summary, "device-allocation"), nullptr);
  EXPECT_EQ(finding_named(summary, "device-allocation")->cost_ns, 8 * kMs);
  const Offender* late = named(summary, "idle: launched too late");
  ASSERT_NE(late, nullptr);
  EXPECT_EQ(late->stake_ns, 16'001'000);  // and 1 us of the launch behind the operator
}

TEST(TraceOffenders, OperatorsByTheirTimeAboveTheRoof) {
  TestTrace trace;
  const uint32_t host = trace.thread(0);
  const uint32_t stream = trace.stream(0, 0, 7);
  trace.add(host, EventKind::kHostOp, "aten::mm", 0, 10, kNoId,
            {trace.text("Input Dims", "[[100, 100], [100, 100]]"),
             trace.text("Input type", R"(["c10::BFloat16", "c10::BFloat16"])")});
  trace.add(host, EventKind::kHostCall, "launch", 1, 1, 1);
  trace.add(stream, EventKind::kKernel, "gemm", 100, 100'000, 1);
  Accelerator device;
  device.name = "X1";
  device.matrix = {{"bf16", 1e11}};  // 20 us
  device.bytes_per_s = 1e12;
  device.source = "sheet";
  const TraceSummary summary = summarise_trace(trace.table, {{}, device});
  const Offender* mm = named(summary, "aten::mm (compute)");
  ASSERT_NE(mm, nullptr);
  EXPECT_DOUBLE_EQ(mm->stake_ns, 80'000);
  EXPECT_EQ(mm->rule, "raise-matrix-efficiency");
  const TraceSummary unknown = summarise_trace(trace.table);  // without a roof nobody can say what is at stake
  EXPECT_EQ(named(unknown, "aten::mm (compute)"), nullptr);
  EXPECT_EQ(unknown.rooflines.at(0).roofed_ns, 0);
}

// Six element-wise kernels in a row of 100 us each: one of them could do the work of all.
TEST(TraceOffenders, ElementwiseKernelsInARow) {
  TestTrace trace;
  const uint32_t host = trace.thread(0);
  const uint32_t stream = trace.stream(0, 0, 7);
  int64_t correlation = 0;
  for (const char* name : {"aten::add", "aten::mul", "aten::mul", "aten::mul", "aten::add", "aten::relu"}) {
    const int64_t at_ns = 1'000 * correlation++;
    trace.add(host, EventKind::kHostOp, name, at_ns, 900, kNoId, {trace.text("Input Dims", "[[4],[4]]")});
    trace.add(host, EventKind::kHostCall, "cudaLaunchKernel", at_ns + 100, 100, correlation);
    trace.add(stream, EventKind::kKernel, "k", 100'000 * correlation, 100'000, correlation);
  }
  const TraceSummary summary = summarise_trace(trace.table);
  const Offender* runs = named(summary, "element-wise kernels in a row");
  ASSERT_NE(runs, nullptr);
  EXPECT_EQ(runs->stake_ns, 500'000);
  EXPECT_EQ(runs->rule, "fuse-elementwise-runs");
  EXPECT_EQ(runs->evidence,
            "6 kernels in 1 runs; the longest begins aten::add, aten::mul (3 times), aten::add, aten::relu");
}

TEST(TraceOffenders, ACauseOfSeveralDevicesIsNamedOnce) {
  TestTrace trace;
  for (const int64_t rank : {0, 1}) {
    const uint32_t stream = trace.stream(rank, 0, 7);
    trace.add(stream, EventKind::kKernel, "ncclDevKernel_AllReduce", 0, 300'000 + 100'000 * rank);
  }
  const TraceSummary summary = summarise_trace(trace.table);
  ASSERT_EQ(summary.offenders.size(), 1);
  EXPECT_EQ(summary.offenders[0].stake_ns, 400'000);
  EXPECT_NE(summary.offenders[0].evidence.find("on 2 devices, most on rank 1"), std::string::npos);
}

}  // namespace
}  // namespace aaco
