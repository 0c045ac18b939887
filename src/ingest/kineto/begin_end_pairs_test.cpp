// SPDX-License-Identifier: MIT
// Inputs are ours, but where a line names another source.
#include <gtest/gtest.h>
#include <map>
#include <string>

#include "ingest/kineto/kineto.h"
#include "ingest/test_reading.h"

namespace aaco {
namespace {

EventTable read_marks(const std::string& events) {
  return read_text(
      [](const TraceInput& input, EventTable& into) { return read_kineto(input.bytes, "t.json", 0, into); },
      "[" + events + "]");
}

// A mark of one thread: "B" or "E", a name, a time.
std::string mark(const char* phase, const char* name, int time, const char* category = "cpu_op") {
  const std::string named = *name == '\0' ? "" : fmt::format(R"("name":"{}",)", name);
  return fmt::format(R"({{"ph":"{}","cat":"{}",{}"pid":0,"tid":7,"ts":{}}})", phase, category, named, time);
}

template <class... Marks>
EventTable read_all(const std::string& first, const Marks&... others) {
  std::string events = first;
  for (const std::string& other : {std::string(others)...}) {
    events += "," + other;
  }
  return read_marks(events);
}

// Of slices by their names, in us, those of one name in the order of the file.
std::multimap<std::string, int64_t> lengths(const EventTable& table) {
  std::multimap<std::string, int64_t> slices;
  for (size_t i = 0; i < table.size(); ++i) {
    if (table.shape[i] == EventShape::kSlice) {
      slices.emplace(name_at(table, i), table.duration_ns[i] / 1000);
    }
  }
  return slices;
}

using Lengths = std::multimap<std::string, int64_t>;

TEST(BeginEndPairs, TimeGoesBeforeTheOrderOfTheFile) {
  const EventTable table = read_all(mark("B", "a", 1000, "kernel"), mark("B", "b", 1200, "kernel"),
                                    mark("E", "a", 1100, "kernel"), mark("E", "b", 1300, "kernel"));
  EXPECT_EQ(lengths(table), (Lengths{{"a", 100}, {"b", 100}}));
  EXPECT_TRUE(table.losses.entries().empty());
}

TEST(BeginEndPairs, AllEndsMayStandBeforeAllBegins) {
  const EventTable table = read_all(mark("E", "", 4), mark("E", "", 9), mark("B", "outer", 1), mark("B", "inner", 2));
  EXPECT_EQ(lengths(table), (Lengths{{"outer", 8}, {"inner", 2}}));
  EXPECT_TRUE(table.losses.entries().empty());
}

TEST(BeginEndPairs, ANameEndsTheInnermostOfThatName) {
  const EventTable table = read_all(mark("B", "a", 0), mark("B", "b", 10), mark("B", "a", 20), mark("E", "b", 30),
                                    mark("E", "a", 40), mark("E", "a", 50));
  EXPECT_EQ(lengths(table), (Lengths{{"a", 50}, {"b", 20}, {"a", 20}}));
}

TEST(BeginEndPairs, AMarkWithoutANameGoesWithAny) {
  EXPECT_EQ(lengths(read_all(mark("B", "", 0), mark("E", "x", 10))), (Lengths{{"", 10}}));
  EXPECT_EQ(lengths(read_all(mark("B", "x", 0), mark("B", "y", 1), mark("E", "", 5), mark("E", "", 7))),
            (Lengths{{"x", 7}, {"y", 4}}));
}

// jlfwong/speedscope, sample/profiles/trace-event/zero-duration-events.json: its snapshot has A 10 us, C 0.
TEST(BeginEndPairs, AnEndMayStandBeforeItsBeginAtOneTime) {
  const EventTable table = read_all(mark("B", "A", 0), mark("B", "B", 1), mark("E", "B", 1), mark("E", "C", 2),
                                    mark("B", "C", 2), mark("E", "A", 10));
  EXPECT_EQ(lengths(table), (Lengths{{"A", 10}, {"B", 0}, {"C", 0}}));
  EXPECT_TRUE(table.losses.entries().empty());
  // A name for none of the ends: C has ended, so that the last one is A's.
  EXPECT_EQ(lengths(read_all(mark("B", "A", 0), mark("E", "C", 2), mark("B", "C", 2), mark("E", "", 10))),
            (Lengths{{"A", 10}, {"C", 0}}));
}

// The recording began within the first C; the second follows it at once.
TEST(BeginEndPairs, AnEndOfItsOwnGoesBeforeOneAtItsBegin) {
  const EventTable table = read_all(mark("E", "C", 2), mark("B", "C", 2), mark("E", "C", 5));
  EXPECT_EQ(lengths(table), (Lengths{{"C", 3}}));
  EXPECT_EQ(table.losses.count(Loss::kUnmatchedBegin), 1);
}

TEST(BeginEndPairs, WhatHasNoPartnerIsALossWithItsName) {
  const EventTable table = read_all(mark("B", "A", 0), mark("B", "B", 1), mark("E", "A", 10), mark("E", "Z", 11));
  EXPECT_EQ(lengths(table), (Lengths{{"A", 10}}));
  EXPECT_EQ(table.shape[1], EventShape::kInstant);
  EXPECT_EQ(table.duration_ns[1], 0);
  EXPECT_EQ(table.losses.count(Loss::kUnmatchedBegin), 2);
  EXPECT_NE(table.losses.entries()[0].example.find("\"Z\" ends at 11000 ns"), std::string::npos)
      << table.losses.entries()[0].example;
}

TEST(BeginEndPairs, AnEndBeforeItsBeginEndsNothing) {
  const EventTable table = read_all(mark("B", "n", 9), mark("E", "", 5));
  EXPECT_TRUE(lengths(table).empty());
  EXPECT_EQ(table.losses.count(Loss::kUnmatchedBegin), 2);
  EXPECT_EQ(table.losses.count(Loss::kNegativeDuration), 0);
}

TEST(BeginEndPairs, SlicesOfKnownLengthAreNotTouched) {
  const EventTable table =
      read_all(mark("B", "a", 0), R"({"ph":"X","cat":"cpu_op","name":"x","pid":0,"tid":7,"ts":1,"dur":100})",
               mark("E", "a", 10));
  EXPECT_EQ(lengths(table), (Lengths{{"a", 10}, {"x", 100}}));
}

TEST(BeginEndPairs, ManyThatNeverMatchTakeNoLongerThanMatchingOnes) {
  std::string marks = mark("B", "a", 0);
  for (int i = 0; i < 100'000; ++i) {
    marks += "," + mark("B", "a", 0) + "," + mark("E", "b", 0);
  }
  const EventTable table = read_marks(marks);
  EXPECT_EQ(table.losses.count(Loss::kUnmatchedBegin), 200'001);
}

}  // namespace
}  // namespace aaco
