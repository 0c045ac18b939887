// SPDX-License-Identifier: MIT
#include "record/device/activity_table.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "base/files/temporary_folder.h"
#include "record/device/activity_journal.h"
#include "record/device/device_rows.h"

namespace aaco {
namespace {

// Stream 3 of device 1 and thread 9 of the host: start, end, correlation, stream, bytes, name, device, node, kind.
std::vector<ActivityRecord> batch_of(ActivitySink& sink) {
  return {{10, 15, 1, 9, 0, sink.intern("call"), 1, 0, ActivityKind::kLaunchCall, kNoName, {}},
          {20, 50, 1, 3, 0, sink.intern("gemm"), 1, 0, ActivityKind::kKernel, kNoName, {32, 256, 4096, 48, 12}},
          {50, 60, 2, 3, 64, sink.intern("copy"), 1, 7, ActivityKind::kCopy, kNoName, {}},
          {60, 61, kNoCorrelation, 4, 8, sink.intern("set"), 1, 0, ActivityKind::kSet, kNoName, {}},
          {5, 70, 3, 9, 0, sink.intern("wait"), 1, 0, ActivityKind::kSync, kNoName, {}}};
}

EventTable table_of_batch() {
  ActivityTable sink;
  sink.push(batch_of(sink));
  sink.dropped(3);
  return sink.take();
}

EventTable journal_of_batch() {
  const TemporaryFolder folder = TemporaryFolder::create().value();
  const auto path = folder.path() / "events.jrn";
  ActivityJournal sink(EventJournalWriter::create(path).value(), "test");
  sink.push(batch_of(sink));
  sink.dropped(1);
  sink.dropped(2);
  EXPECT_TRUE(sink.close());
  return read_event_journal(path).value();
}

// Both sinks.
class Sinks : public testing::TestWithParam<EventTable (*)()> {};
INSTANTIATE_TEST_SUITE_P(Of, Sinks, testing::Values(table_of_batch, journal_of_batch),
                         [](const auto& info) { return info.index == 0 ? "Table" : "Journal"; });

TEST_P(Sinks, ABatchBecomesRowsOnTracks) {
  const EventTable events = GetParam()();
  EXPECT_EQ(events.losses.count(Loss::kDropped), 3U);
  EXPECT_EQ(events.recordings.size(), 1U);
  ASSERT_EQ(events.size(), 5U);
  std::vector<std::string> rows;
  for (size_t i = 0; i < events.size(); ++i) {
    const Track& track = events.tracks[events.track[i]];
    rows.push_back(
        std::string(events.strings[events.name[i]]) + ", " + std::string(events.strings[events.category[i]]) + ", " +
        std::string(events.strings[track.process_name]) + ", " + std::string(events.strings[track.thread_name]));
  }
  EXPECT_EQ(rows, (std::vector<std::string>{"call, launch, host, thread 9", "gemm, kernel, device 1, stream 3",
                                            "copy, copy, device 1, stream 3", "set, set, device 1, stream 4",
                                            "wait, synchronize, host, thread 9"}));
  ASSERT_EQ(events.tracks.size(), 3U);
  EXPECT_EQ(events.tracks[0].device, kNoId);
  EXPECT_EQ(events.tracks[1].device, 1);
  EXPECT_EQ(events.tracks[1].stream, 3);
  EXPECT_EQ(stream_of(events, 3), (DeviceStream{1, 4}));
  EXPECT_EQ(events.start_ns[1], 20);
  EXPECT_EQ(events.duration_ns[1], 30);
  EXPECT_EQ(events.correlation[1], 1);
  EXPECT_EQ(events.correlation[3], kNoId);
  EXPECT_TRUE(is_launch_call(events, 0));
  EXPECT_FALSE(is_launch_call(events, 1));
  EXPECT_FALSE(is_launch_call(events, 4));
  EXPECT_EQ(work_as_executed(events), (std::vector<EventRow>{1, 2, 3}));
}

TEST_P(Sinks, ArgumentsAreWhatTheRecordTells) {
  const EventTable events = GetParam()();
  const auto arguments_of = [&](size_t row) {
    std::string text;
    for (size_t i = events.arguments.begin(row); i < events.arguments.end(row); ++i) {
      const Argument argument = events.arguments[i];
      text += std::string(events.strings[argument.key]) + " " + std::to_string(argument.bits) + "; ";
    }
    return text;
  };
  EXPECT_EQ(arguments_of(0), "");
  EXPECT_EQ(arguments_of(1),
            "registers per thread 32; threads per block 256; shared memory per block 4096; local memory per thread 48; "
            "blocks 12; ");
  EXPECT_EQ(arguments_of(2), "bytes 64; graph node id 7; ");
  EXPECT_EQ(arguments_of(3), "bytes 8; ");
  const KernelResources resources = resources_of(events, 1);
  EXPECT_EQ(resources.registers, 32U);
  EXPECT_EQ(resources.block_threads, 256U);
  EXPECT_EQ(resources.shared_bytes, 4096U);
  EXPECT_EQ(resources.local_bytes, 48U);
  EXPECT_EQ(resources.blocks, 12U);
  EXPECT_EQ(resources_of(events, 2).block_threads, 0U);
}

// Ranges of a program that names its thread, and a kernel that says where it was captured.
TEST(ActivityTable, RangesMarksAndNames) {
  ActivityTable sink;
  const uint32_t domain = sink.intern("library");
  const uint32_t step = sink.intern("step");
  const std::vector<ActivityRecord> batch{
      {1, 1, kNoCorrelation, 9, 0, sink.intern("pt_main"), 0, 0, ActivityKind::kThreadName, kNoName, {}},
      {10, 30, 5, 9, 0, step, 0, 0, ActivityKind::kRange, domain, {}},
      {12, 12, 6, 9, 0, step, 0, 0, ActivityKind::kOpenRange, kNoName, {}},
      {13, 13, 7, 9, 0, step, 0, 0, ActivityKind::kMark, kNoName, {}},
      {40, 50, 8, 3, 0, sink.intern("gemm"), 0, 7, ActivityKind::kKernel, sink.intern("layers.3"), {}}};
  sink.push(batch);
  const EventTable events = sink.take();
  ASSERT_EQ(events.size(), 4U);  // a thread's name is no event
  EXPECT_EQ(events.strings[events.tracks[events.track[0]].thread_name], "pt_main");
  EXPECT_EQ(events.strings[events.tracks[events.track[0]].thread], "thread 9");
  const EventShape shapes[] = {EventShape::kSlice, EventShape::kInstant, EventShape::kInstant, EventShape::kSlice};
  for (size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events.shape[i], shapes[i]) << i;
    EXPECT_EQ(events.kind[i], i < 3 ? EventKind::kHostRange : EventKind::kKernel) << i;
    EXPECT_EQ(events.correlation[i], i < 3 ? kNoId : 8) << i;
  }
  EXPECT_EQ(events.duration_ns[0], 20);
  EXPECT_EQ(events.duration_ns[1], 0);
  const auto text_of = [&](size_t event, size_t argument) {
    const Argument argument_value = events.arguments[events.arguments.begin(event) + argument];
    return std::string(events.strings[argument_value.key]) + ": " + std::string(events.text_of(argument_value));
  };
  EXPECT_EQ(text_of(0, 0), "domain: library");
  EXPECT_EQ(text_of(3, 1), "captured in: layers.3");
  EXPECT_EQ(events.arguments.begin(1), events.arguments.end(2));
}

// The host's calls may name a device that they are not on: one thread is one track.
TEST(ActivityTable, TracksAreFoundAgain) {
  ActivityTable sink;
  for (int round = 0; round < 2; ++round) {
    for (uint32_t i = 0; i < 6; ++i) {
      const std::vector<ActivityRecord> pair{{0, 1, 1, 9, 0, 0, i, 0, ActivityKind::kLaunchCall, kNoName, {}},
                                             {0, 1, 1, i % 3, 0, 0, i % 2, 0, ActivityKind::kKernel, kNoName, {}}};
      sink.push(pair);
    }
  }
  const EventTable events = sink.take();
  EXPECT_EQ(events.tracks.size(), 7U) << "three streams of two devices, and a thread";
  for (size_t i = 0; i < events.size(); i += 2) {
    const auto round = static_cast<uint32_t>(i / 2 % 6);
    EXPECT_EQ(events.track[i], 0U);
    EXPECT_EQ(stream_of(events, i + 1), (DeviceStream{round % 2, round % 3}));
  }
}

TEST(ActivityTable, EachTableHasItsRowsAndEveryNameAndAllLosses) {
  ActivityTable sink;
  const StringId gemm = sink.intern("gemm");
  sink.dropped(2);
  const std::vector<ActivityRecord> batch{{0, 1, 1, 3, 0, gemm, 0, 0, ActivityKind::kKernel, kNoName, {}}};
  sink.push(batch);
  EXPECT_EQ(sink.take().size(), 1U);
  sink.dropped(1);
  EXPECT_EQ(sink.intern("gemm"), gemm);
  sink.push(batch);
  const EventTable events = sink.take();
  ASSERT_EQ(events.size(), 1U);
  ASSERT_EQ(events.tracks.size(), 1U);
  EXPECT_EQ(events.strings[events.name[0]], "gemm");
  EXPECT_EQ(events.losses.count(Loss::kDropped), 3U);
  EXPECT_EQ(sink.dropped_count(), 3U);
  EXPECT_EQ(sink.take().size(), 0U);
}

}  // namespace
}  // namespace aaco
