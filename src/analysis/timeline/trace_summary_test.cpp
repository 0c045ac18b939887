// SPDX-License-Identifier: MIT
#include "analysis/timeline/trace_summary.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <utility>

#include "analysis/timeline/test_trace.h"

namespace aaco {
namespace {

TEST(TraceSummary, OneForEachDeviceOfEachRank) {
  TestTrace trace;
  const uint32_t b = trace.stream(1, 0, 7);
  const uint32_t a = trace.stream(0, 0, 7);
  const uint32_t c = trace.stream(0, 1, 7);
  for (const uint32_t track : {b, a, c}) {
    trace.add(track, EventKind::kKernel, "k", 0, 10);
  }
  const auto devices = summarise_trace(trace.table).devices;
  ASSERT_EQ(devices.size(), 3);
  EXPECT_EQ(devices[0].rank, 0);
  EXPECT_EQ(devices[1].device, 1);
  EXPECT_EQ(devices[2].rank, 1);
}

TEST(TraceSummary, IsRefusedWhereThereIsNotTheMemoryForIt) {
  TestTrace trace;
  const uint32_t track = trace.stream(0, 0, 7);
  for (int i = 0; i < 1000; ++i) {
    trace.add(track, EventKind::kKernel, "k", i, 1);
  }
  EXPECT_TRUE(expect_analysis_memory(trace.table, 8'388'608 + 64'000));
  const auto refused = expect_analysis_memory(trace.table, 8'388'607 + 64'000);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(refused.error().message, "the analysis of 1000 events needs 8.45 MB of memory, 8.45 MB are available");
}

TEST(TraceSummary, WhatIsWork) {
  TestTrace trace;
  const uint32_t track = trace.stream(0, 0, 7);
  trace.add(track, EventKind::kKernel, "ncclDevKernel_Generic", 0, 10);
  trace.add(track, EventKind::kSet, "Memset", 10, 10);
  trace.add(track, EventKind::kCopy, "Memcpy HtoD", 20, 10);
  trace.add(track, EventKind::kDeviceRange, "step", 0, 1000);
  trace.add(track, EventKind::kDeviceSync, "wait", 0, 1000);
  const auto devices = summarise_trace(trace.table).devices;
  ASSERT_EQ(devices.size(), 1);
  EXPECT_EQ(devices[0].budget.window_ns(), 30);
  EXPECT_EQ(devices[0].budget.computation_ns, 10);
  EXPECT_EQ(devices[0].budget.exposed_communication_ns, 10);
  EXPECT_EQ(devices[0].budget.exposed_copy_ns, 10);
}

TEST(TraceSummary, CopiesAndSetsAreMemoryOperations) {
  TestTrace trace;
  const uint32_t track = trace.stream(0, 0, 7);
  trace.add(track, EventKind::kKernel, "k", 0, 70);
  trace.add(track, EventKind::kCopy, "Memcpy", 70, 20);
  trace.add(track, EventKind::kSet, "Memset", 90, 10);
  const MemoryOperations operations = summarise_trace(trace.table).devices[0].memory_operations;
  EXPECT_EQ(operations.count, 2);
  EXPECT_EQ(operations.slices, 3);
  EXPECT_EQ(operations.sum_ns, 30);
  EXPECT_EQ(operations.slice_sum_ns, 100);
}

TEST(TraceSummary, KernelsByNameLongestFirst) {
  TestTrace trace;
  const uint32_t track = trace.stream(0, 0, 7);
  const int64_t durations[] = {5, 1, 4, 2};
  int64_t at = 0;
  for (const int64_t duration : durations) {
    trace.add(track, EventKind::kKernel, "many", at, duration);
    at += duration;
  }
  trace.add(track, EventKind::kKernel, "one", at, 100);
  const auto devices = summarise_trace(trace.table).devices;
  ASSERT_EQ(devices[0].kernels.size(), 2);
  EXPECT_EQ(trace.table.strings[devices[0].kernels[0].name], "one");
  const KernelStatistics& many = devices[0].kernels[1];
  EXPECT_EQ(many.count, 4);
  EXPECT_EQ(many.total_ns, 12);
  EXPECT_EQ(many.min_ns, 1);
  EXPECT_EQ(many.median_ns, 2);
  EXPECT_EQ(many.max_ns, 5);
}

TEST(TraceSummary, OverlapsInAStreamAndLaunches) {
  TestTrace trace;
  const uint32_t host = trace.stream(0, kNoId, kNoId);
  const uint32_t first = trace.stream(0, 0, 7);
  const uint32_t second = trace.stream(0, 0, 8);
  trace.add(host, EventKind::kHostCall, "launch", 0, 1, 1);
  trace.add(first, EventKind::kKernel, "a", 10, 100, 1);
  trace.add(first, EventKind::kKernel, "b", 50, 10, 2);   // overlaps a
  trace.add(first, EventKind::kKernel, "c", 70, 10);      // overlaps a too
  trace.add(second, EventKind::kKernel, "d", 50, 10, 1);  // another stream
  const auto devices = summarise_trace(trace.table).devices;
  EXPECT_EQ(devices[0].overlaps, 2);
  EXPECT_EQ(devices[0].unlinked.no_call, 2);
}

// Whichever of two slices with one start comes first in the file.
TEST(TraceSummary, OverlapsDoNotDependOnTheOrder) {
  for (const bool empty_first : {false, true}) {
    TestTrace trace;
    const uint32_t track = trace.stream(0, 0, 7);
    trace.add(track, EventKind::kKernel, "z", 10, empty_first ? 0 : 10);
    trace.add(track, EventKind::kKernel, "k", 10, empty_first ? 10 : 0);
    EXPECT_EQ(summarise_trace(trace.table).devices[0].overlaps, 0);
  }
}

TEST(TraceSummary, WhatCannotBeJoinedIsALoss) {
  TestTrace trace;
  const uint32_t host = trace.stream(0, kNoId, kNoId);
  const uint32_t track = trace.stream(0, 0, 7);
  trace.add(track, EventKind::kKernel, "a", 0, 10);
  trace.add(track, EventKind::kKernel, "b", 5, 10);
  for (const auto& [shape, id] : {std::pair(EventShape::kFlowStart, 1), std::pair(EventShape::kFlowEnd, 1),
                                  std::pair(EventShape::kFlowStart, 2), std::pair(EventShape::kFlowEnd, 3)}) {
    trace.add(host, EventKind::kOther, "ac2g", 1, 0, id);
    trace.table.shape[trace.table.size() - 1] = shape;
  }
  const LossTable losses = summarise_trace(trace.table).losses;
  EXPECT_EQ(losses.count(Loss::kNoLaunch), 2);
  EXPECT_EQ(losses.count(Loss::kOverlap), 1);
  EXPECT_EQ(losses.count(Loss::kUnmatchedFlow), 2);
  EXPECT_EQ(losses.entries().size(), 3);
}

// Two kernels of 2^62 ns.
TEST(TraceSummary, SumsBeyondSixtyFourBitsSaturate) {
  TestTrace trace;
  const uint32_t track = trace.stream(0, 0, 7);
  trace.add(track, EventKind::kKernel, "k", 0, int64_t{1} << 62);
  trace.add(track, EventKind::kKernel, "k", 0, int64_t{1} << 62);
  EXPECT_EQ(summarise_trace(trace.table).devices[0].kernels[0].total_ns, INT64_MAX);
}

TEST(TraceSummary, PagesThatMigrateLackNoLaunch) {
  TestTrace trace;
  const uint32_t track = trace.stream(0, 0, 7);
  trace.add(track, EventKind::kCopy, "CUDA memcpy Unified Host-to-Device", 0, 10);
  trace.add(track, EventKind::kCopy, "CUDA memcpy Host-to-Device", 10, 10);
  trace.add(track, EventKind::kKernel, "Unified", 20, 10);
  const TraceSummary summary = summarise_trace(trace.table);
  EXPECT_EQ(summary.losses.count(Loss::kNoLaunch), 2);
}

// Whoever recorded it says that it is a collective, whatever its name.
TEST(DeviceWork, ACategoryOfCollectivesIsCommunication) {
  TestTrace trace;
  const uint32_t track = trace.stream(0, 0, 7);
  trace.table.add({0, 50, kNoId, kNoId, trace.table.strings.intern("barrier"),
                   trace.table.strings.intern("collective_comm"), track, EventKind::kKernel, EventShape::kSlice},
                  {});
  trace.add(track, EventKind::kKernel, "barrier", 50, 20);
  const TimeShares shares = summarise_trace(trace.table).devices.at(0).budget;
  EXPECT_EQ(shares.communication_ns, 50);
  EXPECT_EQ(shares.computation_ns, 20);
}

}  // namespace
}  // namespace aaco
