// SPDX-License-Identifier: MIT
// Records of the CPU's streams, through the backend's collector.
#include "device/cpu/commands/activity_log.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/clock.h"
#include "device/cpu/cpu_backend.h"
#include "device/cpu/test_cpu.h"
#include "record/device/activity_table.h"
#include "record/device/device_rows.h"

namespace aaco {

namespace {

using test_cpu::expect_ok;
using test_cpu::value_of;

class ActivityTest : public testing::Test {
 protected:
  CpuBackend backend{test_cpu::kFunctions};
  ActivityTable sink;
  Device& device = **backend.open(0);
};

std::vector<EventRow> of_kind(const EventTable& events, EventKind kind) {
  std::vector<EventRow> rows;
  for (EventRow row = 0; row < events.size(); ++row) {
    if (events.kind[row] == kind) {
      rows.push_back(row);
    }
  }
  return rows;
}

std::string_view name_of(const EventTable& events, EventRow row) { return events.strings[events.name[row]]; }
uint64_t first_argument(const EventTable& events, EventRow row) {
  return events.arguments[events.arguments.begin(row)].bits;
}

TEST_F(ActivityTest, EveryCommandIsARecordWithItsTimesAndBytes) {
  const auto first = value_of(device.make_stream(0));
  const auto buffer = value_of(device.allocate(64, MemoryKind::kDevice));
  first->launch(NullArgs{});  // before the collector: not recorded
  expect_ok(first->synchronize());
  const auto collector = value_of(backend.collect(sink));
  const int64_t start_ns = monotonic_ns();
  first->launch(SpinArgs{nullptr, 2'000'000, 1});
  first->copy(buffer->data(), static_cast<char*>(buffer->data()) + 32, 32);
  first->set(buffer->data(), 0, 64);
  expect_ok(collector->flush());
  const EventTable events = sink.take();
  const auto calls = of_kind(events, EventKind::kHostCall);
  const auto kernels = of_kind(events, EventKind::kKernel);
  const auto copies = of_kind(events, EventKind::kCopy);
  const auto sets = of_kind(events, EventKind::kSet);
  ASSERT_EQ(events.size(), 6U);
  ASSERT_EQ(calls.size(), 3U);
  ASSERT_EQ(kernels.size(), 1U);
  ASSERT_EQ(copies.size(), 1U);
  ASSERT_EQ(sets.size(), 1U);
  EXPECT_EQ(name_of(events, kernels[0]), "spin");
  EXPECT_EQ(name_of(events, copies[0]), "copy");
  EXPECT_EQ(name_of(events, sets[0]), "set");
  EXPECT_EQ(first_argument(events, copies[0]), 32U);
  EXPECT_EQ(first_argument(events, sets[0]), 64U);
  EXPECT_EQ(stream_of(events, kernels[0]), (DeviceStream{0, first->native_id()}));
  EXPECT_EQ(events.correlation[kernels[0]], events.correlation[calls[0]]);
  EXPECT_EQ(events.correlation[copies[0]], events.correlation[calls[1]]);
  EXPECT_GE(events.duration_ns[kernels[0]], 2'000'000);
  EXPECT_LE(start_ns, events.start_ns[calls[0]]);
  EXPECT_LE(events.start_ns[calls[0]], events.start_ns[kernels[0]]);
  EXPECT_LE(events.end_ns(kernels[0]), events.start_ns[copies[0]]);
  EXPECT_LE(events.end_ns(sets[0]), monotonic_ns());
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
    for (const auto& each : streams) {
      each->launch(NullArgs{});
    }
  }
  expect_ok(collector->flush());
  const EventTable events = sink.take();
  EXPECT_EQ(sink.dropped_count(), 0U);
  ASSERT_EQ(events.size(), 2 * kStreams * kEach);
  std::map<int64_t, EventRow> calls;
  std::map<uint64_t, EventRow> last;  // by stream
  std::map<uint64_t, size_t> count;
  for (const EventRow row : of_kind(events, EventKind::kHostCall)) {
    EXPECT_TRUE(calls.emplace(events.correlation[row], row).second);
  }
  for (const EventRow row : of_kind(events, EventKind::kKernel)) {
    ASSERT_EQ(calls.count(events.correlation[row]), 1U);
    ASSERT_LE(events.start_ns[calls[events.correlation[row]]], events.start_ns[row]);
    ASSERT_GE(events.duration_ns[row], 0);
    const uint64_t stream = stream_of(events, row).stream;
    if (const auto before = last.find(stream); before != last.end()) {
      ASSERT_LE(events.end_ns(before->second), events.start_ns[row]);
      ASSERT_LT(events.correlation[before->second], events.correlation[row]);
    }
    last[stream] = row;
    ++count[stream];
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
  const EventTable events = sink.take();
  const auto calls = of_kind(events, EventKind::kHostCall);
  ASSERT_EQ(calls.size(), 2U);
  ASSERT_EQ(events.size(), 6U);
  EXPECT_EQ(name_of(events, calls[0]), "launch_graph");
  for (const EventRow call : calls) {
    std::vector<uint64_t> nodes;
    for (const EventRow row : of_kind(events, EventKind::kKernel)) {
      if (events.correlation[row] == events.correlation[call]) {
        nodes.push_back(first_argument(events, row));
        EXPECT_EQ(stream_of(events, row).stream == first->native_id(), nodes.back() == 1);
      }
    }
    std::sort(nodes.begin(), nodes.end());
    EXPECT_EQ(nodes, (std::vector<uint64_t>{1, 2}));
  }
}

TEST_F(ActivityTest, OneCollectorAtATimeAndNothingAfterItsEnd) {
  const auto first = value_of(device.make_stream(0));
  auto collector = value_of(backend.collect(sink));
  EXPECT_EQ(backend.collect(sink).error().kind, ErrorKind::kUnavailable);
  first->launch(NullArgs{});
  expect_ok(first->synchronize());
  collector.reset();  // without a flush: what was done is told all the same
  EXPECT_EQ(sink.take().size(), 2U);
  first->launch(NullArgs{});
  expect_ok(first->synchronize());
  ActivityTable second_sink;
  const auto second = value_of(backend.collect(second_sink));
  first->launch(SpinArgs{nullptr, 0, 1});
  expect_ok(second->flush());
  const EventTable events = second_sink.take();
  const auto kernels = of_kind(events, EventKind::kKernel);
  ASSERT_EQ(kernels.size(), 1U);
  EXPECT_EQ(name_of(events, kernels[0]), "spin");
  EXPECT_EQ(sink.take().size(), 0U);
}

TEST_F(ActivityTest, AStreamThatGoesLeavesItsRecords) {
  const auto collector = value_of(backend.collect(sink));
  value_of(device.make_stream(0))->launch(NullArgs{});
  EXPECT_EQ(sink.take().size(), 2U);
}

// Collectors come and go while streams work: for the thread sanitizer.
TEST_F(ActivityTest, CollectorsMayComeAndGoWhileStreamsWork) {
  const auto first = value_of(device.make_stream(0));
  for (int round = 0; round < 50; ++round) {
    ActivityTable sink_of_round;
    for (int k = 0; k < 50; ++k) {
      first->launch(NullArgs{});
    }
    const auto collector = value_of(backend.collect(sink_of_round));
    for (int k = 0; k < 50; ++k) {
      first->launch(NullArgs{});
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
