// SPDX-License-Identifier: MIT
#include "kind/training/worker/step_ranges.h"

#include <gtest/gtest.h>

#include "record/device/activity_table.h"

namespace aaco {
namespace {

int64_t now = 0;
int64_t test_now() { return now; }

TEST(RangeRecorder, KeepsWhenRangesWereOpen) {
  RangeRecorder recorder(test_now);
  const RangeListener listener = recorder.listener();
  const auto at = [&](int64_t ns) { now = ns; };
  at(10);
  listener.push("forward");
  at(12);
  listener.push("layer 0");
  at(20);
  listener.pop();
  at(30);
  listener.pop();
  listener.pop();  // of nothing
  at(40);
  listener.push("backward");
  const auto spans = recorder.take();
  ASSERT_EQ(spans.size(), 2U) << "what is open still has no end";
  EXPECT_EQ(spans[0].name, "forward");
  EXPECT_EQ(spans[0].start_ns, 10);
  EXPECT_EQ(spans[0].end_ns, 30);
  EXPECT_EQ(spans[1].depth, 1);
  EXPECT_EQ(spans[1].end_ns, 20);
  EXPECT_TRUE(recorder.take().empty());
}

ActivityRecord record(ActivityKind kind, int64_t start_ns, int64_t end_ns, uint64_t correlation, uint32_t name) {
  ActivityRecord one;
  one.kind = kind;
  one.start_ns = start_ns;
  one.end_ns = end_ns;
  one.correlation = correlation;
  one.name = name;
  return one;
}

// Enqueued one behind the other; the second kernel of the forward pass ends after the first of the backward pass began.
TEST(EventsOfStep, PhasesAreWhereTheirWorkRan) {
  ActivityTable sink;
  const uint32_t name = sink.intern("k");
  const std::vector<ActivityRecord> records = {
      record(ActivityKind::kLaunchCall, 11, 12, 1, name), record(ActivityKind::kKernel, 100, 150, 1, name),
      record(ActivityKind::kLaunchCall, 19, 21, 2, name), record(ActivityKind::kKernel, 150, 200, 2, name),
      record(ActivityKind::kLaunchCall, 31, 32, 3, name), record(ActivityKind::kKernel, 190, 260, 3, name),
      record(ActivityKind::kLaunchCall, 50, 52, 4, name), record(ActivityKind::kKernel, 900, 910, 4, name)};
  sink.push(records);
  const std::vector<RangeSpan> spans = {
      {"forward", 0, 10, 30}, {"layer 0", 1, 15, 25}, {"backward", 0, 30, 40}, {"optimizer", 0, 41, 45}};
  const EventTable events = events_of_step(sink.take(), spans);
  std::vector<std::string> rows;
  for (size_t i = 0; i < events.size(); ++i) {
    if (events.strings[events.category[i]] != "phase") {
      continue;
    }
    const Track& track = events.tracks[events.track[i]];
    rows.push_back(std::string(events.strings[track.process_name]) + " " +
                   std::string(events.strings[track.thread_name]).substr(0, 6) + " " +
                   std::string(events.strings[events.name[i]]) + " " + std::to_string(events.start_ns[i]) + "+" +
                   std::to_string(events.duration_ns[i]));
  }
  EXPECT_EQ(rows, (std::vector<std::string>{"host phases forward 10+20", "device 0 phases forward 100+100",
                                            "host layers layer 0 15+10", "device 0 layers layer 0 150+50",
                                            "host phases backward 30+10", "device 0 phases backward 190+70",
                                            "host phases optimizer 41+4"}))
      << "nothing was enqueued in the optimiser's";
}

}  // namespace
}  // namespace aaco
