// SPDX-License-Identifier: MIT
#include "record/events/trace_rows.h"

#include <bit>
#include <gtest/gtest.h>
#include <vector>

namespace aaco {
namespace {

// One event of each shape and kind, each type of argument, events with none between them.
EventTable everything() {
  EventTable table;
  const auto text = [&](const char* name) { return table.strings.intern(name); };
  table.recordings = {{"a.json", "kineto"}, {"b", "rocprofv3"}};
  table.tracks.push_back({text("1"), text("2"), text("python"), text("main"), 3, kNoId, kNoId, 0});
  table.tracks.push_back({text("0"), kEmptyString, kEmptyString, kEmptyString, kNoId, 4, 7, 1});
  table.metadata.push_back({1, text("agents"), text("[1,2]")});
  table.losses.add(Loss::kTruncated, [] { return "b: line 9"; });
  table.losses.add(Loss::kOverlap, 3);
  const auto bits = [](double real) { return std::bit_cast<uint64_t>(real); };
  const std::vector<Argument> all{{text("i"), ArgumentType::kInteger, static_cast<uint64_t>(-5)},
                                  {text("r"), ArgumentType::kReal, bits(0.1)},
                                  {text("t"), ArgumentType::kText, text("a \"quoted\" text")},
                                  {text("j"), ArgumentType::kJson, text("{\"a\":[]}")},
                                  {text("y"), ArgumentType::kTrue, 0},
                                  {text("n"), ArgumentType::kFalse, 0},
                                  {text("0"), ArgumentType::kNull, 0}};
  for (int i = 0; i < 10; ++i) {
    const auto shape = static_cast<EventShape>(i);
    const bool timed = shape != EventShape::kMetadata && shape != EventShape::kUntimed;
    table.add({timed ? 1000 + i : 0, shape == EventShape::kSlice ? 10 : 0, i % 2 == 0 ? i : kNoId, kNoId, text("name"),
               text("category"), static_cast<uint32_t>(i % 2), static_cast<EventKind>(i), shape},
              i % 3 == 0 ? all : std::vector<Argument>());
  }
  return table;
}

Result<EventTable> rebuilt(const EventTable& table) {
  EventTableBuilder builder;
  std::vector<TraceRecordingRow> recordings;
  for (size_t i = 0; i < table.recordings.size(); ++i) {
    recordings.push_back(recording_row(table, i));
  }
  std::vector<TraceTrackRow> tracks;
  for (size_t i = 0; i < table.tracks.size(); ++i) {
    tracks.push_back(track_row(table, i));
  }
  std::vector<TraceLossRow> losses;
  for (const LossTable::Entry& entry : table.losses.entries()) {
    losses.push_back(loss_row(entry));
  }
  std::vector<TraceEventRow> events;
  std::vector<TraceArgumentRow> arguments;
  for (size_t i = 0; i < table.size(); ++i) {
    events.push_back(event_row(table, i));
    for (size_t at = table.arguments.begin(i); at < table.arguments.end(i); ++at) {
      arguments.push_back(argument_row(table, i, at));
    }
  }
  AACO_TRY(builder.add_recordings(recordings));
  AACO_TRY(builder.add_tracks(tracks));
  AACO_TRY(builder.add_metadata(std::vector{metadata_row(table, 0)}));
  AACO_TRY(builder.add_losses(losses));
  AACO_TRY(builder.add_events(events));
  AACO_TRY(builder.add_arguments(arguments));
  return builder.finish();
}

TEST(TraceRows, ThereAndBackIsTheSame) {
  const EventTable before = everything();
  const auto after = rebuilt(before);
  ASSERT_TRUE(after) << after.error().message;
  ASSERT_EQ(after->size(), before.size());
  for (size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(after->start_ns[i], before.start_ns[i]);
    EXPECT_EQ(after->duration_ns[i], before.duration_ns[i]);
    EXPECT_EQ(after->correlation[i], before.correlation[i]);
    EXPECT_EQ(after->external_id[i], before.external_id[i]);
    EXPECT_EQ(after->strings[after->name[i]], before.strings[before.name[i]]);
    EXPECT_EQ(after->strings[after->category[i]], before.strings[before.category[i]]);
    EXPECT_EQ(after->track[i], before.track[i]);
    EXPECT_EQ(after->kind[i], before.kind[i]);
    EXPECT_EQ(after->shape[i], before.shape[i]);
    ASSERT_EQ(after->arguments.begin(i), before.arguments.begin(i));
    ASSERT_EQ(after->arguments.end(i), before.arguments.end(i));
    for (size_t at = before.arguments.begin(i); at < before.arguments.end(i); ++at) {
      const TraceArgumentRow a = argument_row(*after, i, at);
      const TraceArgumentRow b = argument_row(before, i, at);
      EXPECT_EQ(std::tie(a.key, a.type, a.integer, a.real, a.text), std::tie(b.key, b.type, b.integer, b.real, b.text));
    }
  }
  EXPECT_EQ(after->tracks[0].rank, 3);
  EXPECT_EQ(after->tracks[0].device, kNoId);
  EXPECT_EQ(after->tracks[1].stream, 7);
  EXPECT_EQ(after->tracks[1].recording, 1);
  EXPECT_EQ(after->recordings[1].format, "rocprofv3");
  EXPECT_EQ(after->strings[after->metadata[0].value], "[1,2]");
  EXPECT_EQ(after->losses.count(Loss::kOverlap), 3);
  EXPECT_EQ(after->losses.entries()[0].example, "b: line 9");
}

TEST(TraceRows, WhatCannotBeIsRefused) {
  const EventTable table = everything();
  const auto refused = [&](auto change) {
    EventTableBuilder builder;
    EXPECT_TRUE(builder.add_recordings(std::vector{recording_row(table, 0), recording_row(table, 1)}));
    EXPECT_TRUE(builder.add_tracks(std::vector{track_row(table, 0)}));
    TraceEventRow event = event_row(table, 0);
    TraceArgumentRow argument = argument_row(table, 0, 0);
    change(event, argument);
    const Result<void> events = builder.add_events(std::vector{event});
    const Result<void> arguments = builder.add_arguments(std::vector{argument});
    return !events || !arguments;
  };
  EXPECT_FALSE(refused([](TraceEventRow&, TraceArgumentRow&) {}));
  EXPECT_TRUE(refused([](TraceEventRow& event, TraceArgumentRow&) { event.event = 1; }));
  EXPECT_TRUE(refused([](TraceEventRow& event, TraceArgumentRow&) { event.track = 1; }));
  EXPECT_TRUE(refused([](TraceEventRow& event, TraceArgumentRow&) { event.track = -1; }));
  EXPECT_TRUE(refused([](TraceEventRow& event, TraceArgumentRow&) { event.kind = "unknown"; }));
  EXPECT_TRUE(refused([](TraceEventRow& event, TraceArgumentRow&) { event.shape = ""; }));
  EXPECT_TRUE(refused([](TraceEventRow& event, TraceArgumentRow&) { event.start_ns.reset(); }));
  EXPECT_TRUE(refused([](TraceEventRow& event, TraceArgumentRow&) { event.start_ns = INT64_MAX; }));
  EXPECT_TRUE(refused([](TraceEventRow& event, TraceArgumentRow&) { event.duration_ns = -1; }));
  EXPECT_TRUE(refused([](TraceEventRow& event, TraceArgumentRow&) { event.duration_ns = INT64_MAX; }));
  EXPECT_TRUE(refused([](TraceEventRow&, TraceArgumentRow& argument) { argument.event = 1; }));
  EXPECT_TRUE(refused([](TraceEventRow&, TraceArgumentRow& argument) { argument.event = -1; }));
  EXPECT_TRUE(refused([](TraceEventRow&, TraceArgumentRow& argument) { argument.type = "text"; }));
  EXPECT_TRUE(refused([](TraceEventRow&, TraceArgumentRow& argument) { argument.integer.reset(); }));
}

}  // namespace
}  // namespace aaco
