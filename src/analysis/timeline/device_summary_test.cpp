// SPDX-License-Identifier: MIT
#include "analysis/timeline/device_summary.h"

#include <gtest/gtest.h>
#include <string>

namespace aaco {
namespace {

class Trace {
 public:
  uint32_t stream(int64_t rank, int64_t device, int64_t stream) {
    table.tracks.push_back({kEmptyString, kEmptyString, kEmptyString, kEmptyString, rank, device, stream});
    return static_cast<uint32_t>(table.tracks.size() - 1);
  }
  void add(uint32_t track, EventKind kind, const std::string& name, int64_t start_ns, int64_t duration_ns,
           int64_t correlation = kNoId) {
    table.start_ns.push_back(start_ns);
    table.duration_ns.push_back(duration_ns);
    table.correlation.push_back(correlation);
    table.external_id.push_back(kNoId);
    table.name.push_back(table.strings.intern(name));
    table.category.push_back(kEmptyString);
    table.track.push_back(track);
    table.kind.push_back(kind);
    table.shape.push_back(EventShape::kSlice);
    table.arguments.end_event();
  }
  EventTable table;
};

TEST(DeviceSummary, OneForEachDeviceOfEachRank) {
  Trace trace;
  const uint32_t b = trace.stream(1, 0, 7);
  const uint32_t a = trace.stream(0, 0, 7);
  const uint32_t c = trace.stream(0, 1, 7);
  for (const uint32_t track : {b, a, c}) {
    trace.add(track, EventKind::kKernel, "k", 0, 10);
  }
  const auto devices = device_summaries(trace.table);
  ASSERT_EQ(devices.size(), 3);
  EXPECT_EQ(devices[0].rank, 0);
  EXPECT_EQ(devices[1].device, 1);
  EXPECT_EQ(devices[2].rank, 1);
}

TEST(DeviceSummary, WhatIsWork) {
  Trace trace;
  const uint32_t track = trace.stream(0, 0, 7);
  trace.add(track, EventKind::kKernel, "ncclDevKernel_Generic", 0, 10);
  trace.add(track, EventKind::kSet, "Memset", 10, 10);
  trace.add(track, EventKind::kCopy, "Memcpy HtoD", 20, 10);
  trace.add(track, EventKind::kDeviceRange, "step", 0, 1000);
  trace.add(track, EventKind::kDeviceSync, "wait", 0, 1000);
  const auto devices = device_summaries(trace.table);
  ASSERT_EQ(devices.size(), 1);
  EXPECT_EQ(devices[0].budget.window_ns(), 30);
  EXPECT_EQ(length_ns(devices[0].budget.computation), 10);
  EXPECT_EQ(length_ns(devices[0].budget.exposed_communication), 10);
  EXPECT_EQ(length_ns(devices[0].budget.exposed_copy), 10);
}

TEST(DeviceSummary, KernelsByNameLongestFirst) {
  Trace trace;
  const uint32_t track = trace.stream(0, 0, 7);
  const int64_t durations[] = {5, 1, 4, 2};
  int64_t at = 0;
  for (const int64_t duration : durations) {
    trace.add(track, EventKind::kKernel, "many", at, duration);
    at += duration;
  }
  trace.add(track, EventKind::kKernel, "one", at, 100);
  const auto devices = device_summaries(trace.table);
  ASSERT_EQ(devices[0].kernels.size(), 2);
  EXPECT_EQ(trace.table.strings[devices[0].kernels[0].name], "one");
  const KernelStatistics& many = devices[0].kernels[1];
  EXPECT_EQ(many.count, 4);
  EXPECT_EQ(many.total_ns, 12);
  EXPECT_EQ(many.min_ns, 1);
  EXPECT_EQ(many.median_ns, 2);
  EXPECT_EQ(many.max_ns, 5);
}

TEST(DeviceSummary, OverlapsInAStreamAndLaunches) {
  Trace trace;
  const uint32_t host = trace.stream(0, kNoId, kNoId);
  const uint32_t first = trace.stream(0, 0, 7);
  const uint32_t second = trace.stream(0, 0, 8);
  trace.add(host, EventKind::kHostCall, "launch", 0, 1, 1);
  trace.add(first, EventKind::kKernel, "a", 10, 100, 1);
  trace.add(first, EventKind::kKernel, "b", 50, 10, 2);   // overlaps a
  trace.add(first, EventKind::kKernel, "c", 70, 10);      // overlaps a too
  trace.add(second, EventKind::kKernel, "d", 50, 10, 1);  // another stream
  const auto devices = device_summaries(trace.table);
  EXPECT_EQ(devices[0].overlaps, 2);
  EXPECT_EQ(devices[0].unlinked, 2);
}

TEST(DeviceWork, CommunicationByName) {
  EXPECT_TRUE(is_communication("ncclDevKernel_Generic(ncclDevComm*)"));
  EXPECT_TRUE(is_communication("ncclKernel_AllReduce_RING_LL_Sum_float"));
  EXPECT_TRUE(is_communication("void NCCLsomething"));
  EXPECT_FALSE(is_communication("hipMemcpy"));
  EXPECT_FALSE(is_communication("ncc"));
  EXPECT_FALSE(is_communication(""));
}

}  // namespace
}  // namespace aaco
