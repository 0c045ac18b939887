// SPDX-License-Identifier: MIT
// Records of the CPU's streams, through the backend's collector.
#include "device/cpu/activity_log.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/clock.h"
#include "device/cpu/cpu_backend.h"
#include "device/cpu/test_cpu.h"

namespace aaco {

namespace {

using test_cpu::expect_ok;
using test_cpu::value_of;

class ActivityTest : public testing::Test {
 protected:
  CpuBackend backend{test_cpu::kFunctions};
  ActivitySink sink;
  Device& device = **backend.open(0);
};

std::vector<ActivityRecord> of_kind(const std::vector<ActivityRecord>& records, ActivityKind kind) {
  std::vector<ActivityRecord> found;
  std::copy_if(records.begin(), records.end(), std::back_inserter(found),
               [kind](const ActivityRecord& record) { return record.kind == kind; });
  return found;
}

TEST_F(ActivityTest, EveryCommandIsARecordWithItsTimesAndBytes) {
  const auto one = value_of(device.make_stream(0));
  const auto buffer = value_of(device.allocate(64, MemoryKind::kDevice));
  one->launch(NullArgs{});  // before the collector: not recorded
  expect_ok(one->synchronize());
  const auto collector = value_of(backend.collect(sink));
  const int64_t start_ns = monotonic_ns();
  one->launch(SpinArgs{nullptr, 2'000'000, 1});
  one->copy(buffer->data(), static_cast<char*>(buffer->data()) + 32, 32);
  one->set(buffer->data(), 0, 64);
  expect_ok(collector->flush());
  const auto records = sink.take();
  const auto calls = of_kind(records, ActivityKind::kLaunchCall);
  const auto kernels = of_kind(records, ActivityKind::kKernel);
  const auto copies = of_kind(records, ActivityKind::kCopy);
  const auto sets = of_kind(records, ActivityKind::kSet);
  ASSERT_EQ(records.size(), 6U);
  ASSERT_EQ(calls.size(), 3U);
  ASSERT_EQ(kernels.size(), 1U);
  ASSERT_EQ(copies.size(), 1U);
  ASSERT_EQ(sets.size(), 1U);
  EXPECT_EQ(sink.name(kernels[0].name), "spin");
  EXPECT_EQ(sink.name(copies[0].name), "copy");
  EXPECT_EQ(sink.name(sets[0].name), "set");
  EXPECT_EQ(copies[0].bytes, 32U);
  EXPECT_EQ(sets[0].bytes, 64U);
  EXPECT_EQ(kernels[0].stream, one->native_id());
  EXPECT_EQ(kernels[0].correlation, calls[0].correlation);
  EXPECT_EQ(copies[0].correlation, calls[1].correlation);
  EXPECT_GE(kernels[0].end_ns - kernels[0].start_ns, 2'000'000);
  EXPECT_LE(start_ns, calls[0].start_ns);
  EXPECT_LE(calls[0].start_ns, kernels[0].start_ns);
  EXPECT_LE(kernels[0].end_ns, copies[0].start_ns);
  EXPECT_LE(sets[0].end_ns, monotonic_ns());
}

// 100,000 commands on eight streams: each recorded once, in order, one after the other on its stream.
TEST_F(ActivityTest, NoneOfAHundredThousandIsLost) {
  constexpr size_t kStreams = 8;
  constexpr size_t kEach = 12'500;
  std::vector<std::unique_ptr<Stream>> streams;
  for (size_t i = 0; i < kStreams; ++i) {
    streams.push_back(value_of(device.make_stream(0)));
  }
  const auto collector = value_of(backend.collect(sink));
  for (size_t k = 0; k < kEach; ++k) {
    for (const auto& one : streams) {
      one->launch(NullArgs{});
    }
  }
  expect_ok(collector->flush());
  const auto records = sink.take();
  EXPECT_EQ(sink.dropped_count(), 0U);
  ASSERT_EQ(records.size(), 2 * kStreams * kEach);
  std::map<uint64_t, ActivityRecord> calls;
  std::map<uint64_t, ActivityRecord> last;  // by stream
  std::map<uint64_t, size_t> count;
  for (const ActivityRecord& record : of_kind(records, ActivityKind::kLaunchCall)) {
    EXPECT_TRUE(calls.emplace(record.correlation, record).second);
  }
  for (const ActivityRecord& record : of_kind(records, ActivityKind::kKernel)) {
    ASSERT_EQ(calls.count(record.correlation), 1U);
    ASSERT_LE(calls[record.correlation].start_ns, record.start_ns);
    ASSERT_LE(record.start_ns, record.end_ns);
    if (const auto before = last.find(record.stream); before != last.end()) {
      ASSERT_LE(before->second.end_ns, record.start_ns);
      ASSERT_LT(before->second.correlation, record.correlation);
    }
    last[record.stream] = record;
    ++count[record.stream];
  }
  EXPECT_EQ(calls.size(), kStreams * kEach);
  EXPECT_EQ(count.size(), kStreams);
  for (const auto& [stream, records_of_it] : count) {
    EXPECT_EQ(records_of_it, kEach) << stream;
  }
}

TEST_F(ActivityTest, NodesOfAGraphCarryTheirLaunchAndTheirPlace) {
  const auto first = value_of(device.make_stream(0));
  const auto second = value_of(device.make_stream(0));
  const auto mark = value_of(device.make_event(false));
  first->begin_capture();
  first->launch(NullArgs{});
  first->record(*mark);
  second->wait(*mark);
  second->launch(NullArgs{});
  second->record(*mark);
  first->wait(*mark);
  const auto graph = value_of(first->end_capture());
  const auto collector = value_of(backend.collect(sink));
  first->launch(*graph);
  first->launch(*graph);
  expect_ok(collector->flush());
  const auto records = sink.take();
  const auto calls = of_kind(records, ActivityKind::kLaunchCall);
  ASSERT_EQ(calls.size(), 2U);
  ASSERT_EQ(records.size(), 6U);
  EXPECT_EQ(sink.name(calls[0].name), "launch_graph");
  for (const ActivityRecord& call : calls) {
    std::vector<uint32_t> nodes;
    for (const ActivityRecord& record : of_kind(records, ActivityKind::kKernel)) {
      if (record.correlation == call.correlation) {
        nodes.push_back(record.graph_node);
        EXPECT_EQ(record.stream == first->native_id(), record.graph_node == 1);
      }
    }
    std::sort(nodes.begin(), nodes.end());
    EXPECT_EQ(nodes, (std::vector<uint32_t>{1, 2}));
  }
}

TEST_F(ActivityTest, OneCollectorAtATimeAndNothingAfterItsEnd) {
  const auto one = value_of(device.make_stream(0));
  auto collector = value_of(backend.collect(sink));
  EXPECT_EQ(backend.collect(sink).error().kind, ErrorKind::kUnavailable);
  one->launch(NullArgs{});
  expect_ok(one->synchronize());
  collector.reset();  // without a flush: what was done is told all the same
  EXPECT_EQ(sink.take().size(), 2U);
  one->launch(NullArgs{});
  expect_ok(one->synchronize());
  ActivitySink second_sink;
  const auto second = value_of(backend.collect(second_sink));
  one->launch(SpinArgs{nullptr, 0, 1});
  expect_ok(second->flush());
  const auto records = of_kind(second_sink.take(), ActivityKind::kKernel);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(second_sink.name(records[0].name), "spin");
  EXPECT_TRUE(sink.take().empty());
}

TEST_F(ActivityTest, AStreamThatGoesLeavesItsRecords) {
  const auto collector = value_of(backend.collect(sink));
  value_of(device.make_stream(0))->launch(NullArgs{});
  EXPECT_EQ(sink.take().size(), 2U);
}

// Collectors come and go while streams work: for the thread sanitizer.
TEST_F(ActivityTest, CollectorsMayComeAndGoWhileStreamsWork) {
  const auto one = value_of(device.make_stream(0));
  for (int round = 0; round < 50; ++round) {
    ActivitySink sink_of_round;
    for (int k = 0; k < 50; ++k) {
      one->launch(NullArgs{});
    }
    const auto collector = value_of(backend.collect(sink_of_round));
    for (int k = 0; k < 50; ++k) {
      one->launch(NullArgs{});
    }
    if (round % 2 == 0) {
      expect_ok(collector->flush());
      EXPECT_GE(sink_of_round.take().size(), 100U);
    }
  }
}

TEST(CpuBackend, OpensItsDevicesOnce) {
  CpuBackend backend(test_cpu::kFunctions);
  EXPECT_EQ(*backend.device_count(), kCpuDevices);
  const auto first = backend.open(0);
  const auto last = backend.open(kCpuDevices - 1);
  ASSERT_TRUE(first);
  ASSERT_TRUE(last);
  EXPECT_EQ(*first, *backend.open(0));
  EXPECT_NE(*first, *last);
  EXPECT_EQ((*last)->properties().id, "cpu:63");
  EXPECT_EQ(backend.open(kCpuDevices).error().kind, ErrorKind::kUsage);
  EXPECT_EQ(backend.open(-1).error().kind, ErrorKind::kUsage);
  EXPECT_TRUE((*first)->enable_peer(**last));
  const std::array<Device*, 2> both = {*first, *last};
  const auto communicator = backend.make_communicator(both);
  ASSERT_TRUE(communicator);
  EXPECT_EQ((*communicator)->info().ranks, 2);
}

}  // namespace

}  // namespace aaco
