// SPDX-License-Identifier: MIT
#include "record/events/event_part.h"

#include <gtest/gtest.h>
#include <string>

namespace aaco {
namespace {

// One event on a track of its own recording, with an argument of every kind that has a string.
void add_event(EventTable& table, TrackIndex& tracks, int64_t number, const std::string& name, uint32_t recording) {
  Track track;
  track.process = table.strings.intern("process of " + name);
  track.device = 0;
  track.stream = number % 2;
  track.recording = recording;
  TraceEvent event;
  event.start_ns = number * 10;
  event.duration_ns = 5;
  event.correlation = number;
  event.external_id = -number;
  event.name = table.strings.intern(name);
  event.category = table.strings.intern("category");
  event.track = tracks.index(track);
  event.kind = EventKind::kKernel;
  const Argument arguments[] = {
      {table.strings.intern("number"), ArgumentType::kInteger, static_cast<uint64_t>(number)},
      {table.strings.intern("text"), ArgumentType::kText, table.strings.intern("text of " + name)},
      {table.strings.intern("list"), ArgumentType::kJson, table.strings.intern("[1]")},
  };
  table.add(event, arguments);
}

void expect_event(EventTable& table, size_t at, int64_t number, const std::string& name, uint32_t recording) {
  EXPECT_EQ(table.start_ns[at], number * 10);
  EXPECT_EQ(table.duration_ns[at], 5);
  EXPECT_EQ(table.correlation[at], number);
  EXPECT_EQ(table.external_id[at], -number);
  EXPECT_EQ(table.strings[table.name[at]], name);
  EXPECT_EQ(table.strings[table.category[at]], "category");
  EXPECT_EQ(table.kind[at], EventKind::kKernel);
  EXPECT_EQ(table.shape[at], EventShape::kSlice);
  const Track& track = table.tracks[table.track[at]];
  EXPECT_EQ(table.strings[track.process], "process of " + name);
  EXPECT_EQ(track.stream, number % 2);
  EXPECT_EQ(track.recording, recording);
  const auto argument = [&](const char* key) { return table.arguments.find(at, table.strings.intern(key)).value(); };
  EXPECT_EQ(argument("number").bits, number);
  EXPECT_EQ(table.text_of(argument("text")), "text of " + name);
  EXPECT_EQ(argument("list").type, ArgumentType::kJson);
  EXPECT_EQ(table.text_of(argument("list")), "[1]");
  EXPECT_EQ(table.arguments.end(at) - table.arguments.begin(at), 3);
}

TEST(EventPart, EventsOfPartsAreThoseOfOneTable) {
  EventTable whole;
  whole.recordings = {{"a", "x"}, {"b", "x"}, {"c", "x"}};
  TrackIndex tracks(whole);
  add_event(whole, tracks, 1, "first", 0);

  EventPart event_part;
  EventPart other;
  TrackIndex tracks_of_one(event_part.table());
  TrackIndex tracks_of_other(other.table());
  add_event(event_part.table(), tracks_of_one, 2, "second", 0);
  add_event(event_part.table(), tracks_of_one, 3, "first", 1);
  event_part.table().losses.add(Loss::kNoTime, [] { return std::string("one"); });
  add_event(other.table(), tracks_of_other, 4, "third", 0);
  const uint32_t recordings[] = {0, 2};
  event_part.append_to(whole, tracks, recordings);
  EXPECT_EQ(event_part.table().size(), 0);
  EXPECT_EQ(event_part.table().losses.count(Loss::kNoTime), 0);
  other.append_to(whole, tracks, recordings);
  add_event(event_part.table(), tracks_of_one, 5, "fourth", 1);  // again, with what it knows
  event_part.append_to(whole, tracks, recordings);

  ASSERT_EQ(whole.size(), 5);
  expect_event(whole, 0, 1, "first", 0);
  expect_event(whole, 1, 2, "second", 0);
  expect_event(whole, 2, 3, "first", 2);
  expect_event(whole, 3, 4, "third", 0);
  expect_event(whole, 4, 5, "fourth", 2);
  ASSERT_EQ(whole.losses.entries().size(), 1);
  EXPECT_EQ(whole.losses.entries()[0].example, "one");
}

}  // namespace
}  // namespace aaco
