// SPDX-License-Identifier: MIT
// Events that are no JSON. The inputs are ours, after public reports: pytorch/kineto#105 (inf), #617 (backslashes),
// google/perfetto's diff tests (commas), koute/not-perf#22 (a leading comma).
#include "ingest/chrome/mend_event.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>

#include "ingest/kineto/kineto.h"
#include "ingest/test_reading.h"

namespace aaco {
namespace {

EventTable read_json(const std::string& text) {
  return read_text(
      [](const TraceInput& input, EventTable& into) { return read_kineto(input.bytes, "t.json", 0, into); }, text);
}

std::string kernel(const std::string& arguments, const std::string& name = "k") {
  return R"({"ph":"X","cat":"kernel","name":")" + name + R"(","pid":0,"tid":7,"ts":100,"dur":20,"args":{)" + arguments +
         "}}";
}

const std::string kGood = kernel(R"("device":0,"stream":7)", "good");

// Whether the event between two good ones has its time, with one loss.
void expect_kept(const std::string& event, Loss loss) {
  const EventTable table = read_json("[" + kGood + "," + event + ",\n" + kGood + "]");
  ASSERT_EQ(table.size(), 3) << event;
  EXPECT_EQ(table.start_ns[1], 100'000) << event;
  EXPECT_EQ(table.duration_ns[1], 20'000) << event;
  EXPECT_EQ(name_at(table, 2), "good") << event;
  ASSERT_EQ(table.losses.entries().size(), 1) << event;
  EXPECT_EQ(table.losses.count(loss), 1) << event << ": " << table.losses.entries()[0].example;
}

TEST(MendEvent, ABadArgumentIsLostAlone) {
  for (const char* bad : {"inf", "-inf", "Infinity", "-Infinity", "nan", "NaN", "-nan(ind)", "1.#INF", "0x10", "01",
                          "+5", ".5", "1.", "None", "True", "undefined", "tensor([1, 2])", "", "<lambda>"}) {
    const std::string event = kernel(fmt::format(R"-("stream":7,"memory bandwidth (GB/s)":{},"grid":[1,2])-", bad));
    expect_kept(event, Loss::kBadArgument);
    EventTable table = read_json("[" + event + "]");
    EXPECT_EQ(argument_at(table, 0, "memory bandwidth (GB/s)"), "none") << bad;
    EXPECT_EQ(argument_at(table, 0, "stream"), "7") << bad;
    EXPECT_TRUE(table.arguments.find(0, table.strings.intern("grid"))) << bad;
    EXPECT_FALSE(table.losses.in_part()) << bad;
  }
}

TEST(MendEvent, ABadListIsLostAlone) {
  for (const char* bad : {"[1, nan]", "[1 2]", "[1,2,]", "{\"a\":inf}", R"(["C:\", "D:\"])", "[1}", "[,1]"}) {
    expect_kept(kernel(fmt::format(R"("stream":7,"list":{},"grid":[1,2])", bad)), Loss::kBadArgument);
  }
}

TEST(MendEvent, WhatFiguresNeedIsASevereLoss) {
  for (const char* key : {"correlation", "stream", "device", "External id", "In msg nelems"}) {
    expect_kept(kernel(fmt::format("\"{}\":nan", key)), Loss::kBadField);
  }
  EXPECT_EQ(read_json("[" + kGood + R"(,{"ph":"X","cat":"kernel","name":nan,"pid":0,"tid":7,"ts":1,"dur":2}])")
                .losses.count(Loss::kBadField),
            1);
  const EventTable timeless = read_json("[" + kGood + R"(,{"ph":"X","cat":"kernel","name":"n","ts":nan,"dur":2}])");
  EXPECT_EQ(timeless.size(), 1);
  EXPECT_EQ(timeless.losses.count(Loss::kNoTime), 1);
  EXPECT_EQ(timeless.losses.entries().size(), 1);
}

TEST(MendEvent, CommasTooManyLoseNothing) {
  for (const char* arguments :
       {R"("stream":7,)", R"(,"stream":7)", R"("stream":7,,"device":0)", ",", R"("stream":7 "device":0)"}) {
    expect_kept(kernel(arguments), Loss::kMendedJson);
  }
  expect_kept(R"({"ph":"X","cat":"kernel","name":"k","ts":100,"dur":20,})", Loss::kMendedJson);
  expect_kept(R"({ph:"X","cat":"kernel","name":"k","ts":100,"dur":20})", Loss::kMendedJson);
}

TEST(MendEvent, TextsWithLoneBackslashesStayAsTheyAre) {
  for (const std::string name :
       {R"(C:\work\unet\train.py)", R"(\x41)", R"(C:\work\)", R"(\)", R"(\u12)", R"(a "b" c)"}) {
    const EventTable table = read_json("[" + kGood + "," + kernel(R"("stream":7)", name) + ",\n" + kGood + "]");
    ASSERT_EQ(table.size(), 3) << name;
    EXPECT_EQ(name_at(table, 1), name);
    EXPECT_EQ(track_at(table, 1).stream, 7) << name;
    EXPECT_EQ(table.losses.count(Loss::kMendedJson), 1) << name;
    EXPECT_EQ(table.losses.entries().size(), 1) << name;
  }
  const EventTable table = read_json("[" + kGood + "," + kernel(R"("path":"C:\","stream":7,"last":"D:\")") + "]");
  ASSERT_EQ(table.size(), 2);
  EXPECT_EQ(argument_at(table, 1, "path"), R"("C:\")");
  EXPECT_EQ(argument_at(table, 1, "last"), R"("D:\")");
}

TEST(MendEvent, EscapesThatAreJsonAreResolvedBesideSuchThatAreNot) {
  const EventTable table =
      read_json("[" + kernel(R"("a":"x\ty\u00e9","b":"\w","c":"say \"hi\", bob","stream":7)") + "]");
  ASSERT_EQ(table.size(), 1);
  EXPECT_EQ(argument_at(table, 0, "a"), "\"x\ty\u00e9\"");
  EXPECT_EQ(argument_at(table, 0, "b"), R"("\w")");
  EXPECT_EQ(argument_at(table, 0, "c"), R"("say "hi", bob")");
}

TEST(MendEvent, EveryEventOfAFileMayEndWithALoneBackslash) {
  std::string events = kGood;
  for (int i = 0; i < 25; ++i) {
    events += ",\n" + kernel(R"("stream":7,"path":"C:\")", R"(D:\)");
  }
  const EventTable table = read_json(R"({"traceName":"D:\runs\","traceEvents":[)" + events + "]}");
  EXPECT_EQ(table.size(), 26);
  EXPECT_EQ(table.losses.count(Loss::kMendedJson), 25);
  EXPECT_FALSE(table.losses.in_part());
}

TEST(MendEvent, AMissingBracketEndsWhereTheNextEventBegins) {
  const std::string open =
      R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":100,"dur":20,"args":{"stream":7})";
  expect_kept(open, Loss::kMendedJson);
  expect_kept(open.substr(0, open.size() - 1), Loss::kMendedJson);
  const EventTable last = read_json("[" + kGood + "," + open + "]");
  EXPECT_EQ(last.size(), 2);
  EXPECT_FALSE(last.losses.in_part());
}

TEST(MendEvent, LeadingCommasAndNoBracketsAreRead) {
  EXPECT_TRUE(is_kineto("[,{\"ph\""));
  for (const std::string& text :
       {"[," + kGood + "," + kGood + "]", "[\n,,\n" + kGood + "," + kGood + ",]", kGood + ",\n" + kGood + ",\n",
        kGood + "\n" + kGood + "\n", kGood + "," + kGood + "]"}) {
    const EventTable table = read_json(text);
    EXPECT_EQ(table.size(), 2) << text;
    EXPECT_TRUE(table.losses.entries().empty()) << text;
  }
}

// Files of damage only are read in time that grows as they do.
TEST(MendEvent, DamageIsNotReadOverAndOver) {
  for (const char* piece : {R"({"ph":"X","args":{"a":[)", R"({"a":"\)", R"({"ph":"X","name":"\", )", R"({"ph":{,)",
                            R"("\"\"\"\"\"\)", R"({"ph":"X","a":tensor((([ ,)"}) {
    std::string text = "[" + kGood;
    while (text.size() < (size_t{1} << 20)) {
      text += "," + std::string(piece);
    }
    const EventTable table = read_json(text);
    EXPECT_GE(table.size(), 1) << piece;
    EXPECT_TRUE(table.losses.in_part()) << piece;
  }
}

}  // namespace
}  // namespace aaco
