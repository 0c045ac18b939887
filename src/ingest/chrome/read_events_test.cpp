// SPDX-License-Identifier: MIT
#include "ingest/chrome/read_events.h"

#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

#include "ingest/chrome/argument_reader.h"
#include "ingest/chrome/event_scanner.h"
#include "ingest/chrome/parse_event.h"
#include "ingest/chrome/scan.h"

namespace aaco::chrome {
namespace {

std::string text_of(const RawValue& value) {
  return std::to_string(static_cast<int>(value.type)) + ":" + std::string(value.text);
}

std::string text_of(const RawEvent& event) {
  std::string text;
  for (const RawValue* value : {&event.phase, &event.category, &event.name, &event.process, &event.thread, &event.time,
                                &event.duration, &event.id}) {
    text += text_of(*value) + "|";
  }
  for (const auto* list : {&event.arguments, &event.others}) {
    for (const RawArgument& argument : *list) {
      text += std::string(argument.key) + "=" + text_of(argument.value) + ",";
    }
    text += '|';
  }
  return text + (event.duplicate_key ? "twice" : "");
}

class Collector : public EventSink {
 public:
  bool take(const RawEvent& event) override {
    events.push_back(text_of(event));
    return true;
  }
  void take_metadata(std::string_view key, std::string_view json) override {
    metadata.push_back(std::string(key) + "=" + std::string(json));
  }
  std::vector<std::string> events;
  std::vector<std::string> metadata;
};

struct ReadOutcome {
  Result<ReadResult> result = Error{};
  Collector collected;
  LossTable losses;
};

ReadOutcome read(const std::string& text) {
  ReadOutcome read;
  const auto source = bytes_of(text);
  read.result = read_events(*source, "t.json", read.collected, read.losses);
  return read;
}

const std::string kEvent =
    R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1.5,"dur":2,"args":{"stream":7}})";

TEST(ReadEvents, BothRootsAndTheOtherMembers) {
  const ReadOutcome object =
      read("{\"schemaVersion\": 1,\n \"traceEvents\": [" + kEvent + ", " + kEvent + "],\n\"a\": [1, {}]}");
  ASSERT_TRUE(object.result) << object.result.error().message;
  EXPECT_TRUE(object.result->whole);
  EXPECT_EQ(object.collected.events.size(), 2);
  EXPECT_EQ(object.collected.metadata, (std::vector<std::string>{"schemaVersion=1", "a=[1, {}]"}));
  const ReadOutcome array = read("\n[ " + kEvent + "]\n");
  ASSERT_TRUE(array.result);
  EXPECT_EQ(array.collected.events, std::vector<std::string>{object.collected.events[0]});
}

TEST(ReadEvents, WhatFollowsTheEndIsALoss) {
  for (const std::string& behind : {"[" + kEvent + "]", std::string("}"), std::string("x"), std::string("\0\0", 2)}) {
    const ReadOutcome more = read("[" + kEvent + "]\n" + behind);
    ASSERT_TRUE(more.result);
    EXPECT_EQ(more.collected.events.size(), 1);
    EXPECT_EQ(more.losses.count(Loss::kTrailingData), 1) << behind;
  }
  const ReadOutcome marked = read("\xEF\xBB\xBF[" + kEvent + "] \n");
  ASSERT_TRUE(marked.result);
  EXPECT_TRUE(marked.losses.entries().empty());
}

TEST(ReadEvents, AByteZeroIsNoEnd) {
  const ReadOutcome zero = read("[" + kEvent + "," + std::string(1, '\0') + "," + kEvent + "]");
  ASSERT_TRUE(zero.result);
  EXPECT_EQ(zero.collected.events.size(), 2);
  EXPECT_EQ(zero.losses.count(Loss::kMalformedEvent), 1);
}

TEST(ReadEvents, WhatIsNoTraceIsRefusedWithItsPlace) {
  for (const std::string text : {"", "   ", "hello", "{}", "{\"a\": 1}", "{\"a\"", "{\"a\": [1, 2", "\x7f\x45LF"}) {
    const ReadOutcome refused = read(text);
    ASSERT_FALSE(refused.result) << text;
    EXPECT_EQ(refused.result.error().kind, ErrorKind::kUsage);
    EXPECT_NE(refused.result.error().message.find("byte "), std::string::npos) << refused.result.error().message;
    EXPECT_FALSE(refused.result.error().hint.empty());
  }
}

// Cut anywhere: what is whole is loaded, and the cut is a loss with its place.
TEST(ReadEvents, ATruncatedFileLoadsWhatIsWhole) {
  const std::string text = "{\"traceEvents\": [" + kEvent + ",\n" + kEvent + ",\n" + kEvent + "\n]}";
  const size_t first = text.find("},") + 1;  // ends with the first event
  for (size_t size = text.find('[') + 1; size < text.size() - 1; ++size) {
    const ReadOutcome cut = read(text.substr(0, size));
    ASSERT_TRUE(cut.result) << size;
    EXPECT_FALSE(cut.result->whole) << size;
    EXPECT_EQ(cut.losses.count(Loss::kTruncated), 1) << size;
    EXPECT_EQ(!cut.collected.events.empty(), size >= first) << size;
  }
}

TEST(ReadEvents, ReadingGoesOnBehindWhatIsNoEvent) {
  for (const std::string bad : {"null", "17", "\"text\"", "[1]", "{\"ph\": }", "{\"ph\" \"X\"}", "{\"ts\": 01}",
                                "{\"a\": tru}", "{\"name\": \"\\q\"}", "{(}"}) {
    const ReadOutcome mended = read("[" + kEvent + "," + bad + "," + kEvent + "]");
    ASSERT_TRUE(mended.result) << bad;
    EXPECT_EQ(mended.collected.events.size(), 2) << bad;
    EXPECT_EQ(mended.losses.count(Loss::kMalformedEvent), 1) << bad;
    EXPECT_NE(mended.losses.entries()[0].example.find("byte"), std::string::npos);
  }
}

TEST(ReadEvents, EscapesAndExponentsTakeTheFullParser) {
  const ReadOutcome escaped = read(R"([{"ph":"X","name":"a\"b\u00e9\n","ts":1e3,"args":{"k\t":"\\"}}])");
  ASSERT_TRUE(escaped.result);
  ASSERT_EQ(escaped.collected.events.size(), 1);
  EXPECT_EQ(escaped.collected.events[0], "2:X|0:|2:a\"b\u00e9\n|0:|0:|1:1e3|0:|0:|k\t=2:\\,||");
}

TEST(ReadEvents, ADuplicateKeyIsSeenAndTheLastOneCounts) {
  const ReadOutcome twice = read(R"([{"ph":"X","ts":1,"ts":2}])");
  ASSERT_EQ(twice.collected.events.size(), 1);
  EXPECT_EQ(twice.collected.events[0], "2:X|0:|0:|0:|0:|1:2|0:|0:|||twice");
}

// Random events, whole or with a byte changed: where the fast path takes one, the full parser reads the same; an array
// or object that it passes over unread is checked by who keeps it, not here.
TEST(EventScanner, AgreesWithTheFullParser) {
  std::mt19937 random(3);
  const auto pick = [&](auto... options) {
    const std::vector<std::string> all{options...};
    return all[random() % all.size()];
  };
  const auto space = [&] { return pick("", "", " ", "\n    ", "\t", "\r\n                                 "); };
  const auto value = [&] {
    return pick("1", "-12.5", "1e3", "0", "-7", "999999999999999999", "1234567890123456789", "-0", "\"text\"", "\"\"",
                "\"a longer text than sixteen bytes\"", "\"\\u0041\"", "true", "false", "null", "[]", "[1, [2, \"]\"]]",
                "{\"a\": {\"b\": \"}\"}}", "[\n 1,\n 2\n]", "01", "nul", "-");
  };
  EventParser parser;
  EventScanner scanner;  // what it learns from one event, it meets the next with
  int accepted = 0;
  int both_refused = 0;
  for (int i = 0; i < 200'000; ++i) {
    std::string text = "{" + space();
    const int members = static_cast<int>(random() % 6);
    for (int m = 0; m < members; ++m) {
      const std::string key =
          pick("ph", "cat", "name", "pid", "tid", "ts", "dur", "id", "args", "bp", "a longer key than most have");
      text += (m > 0 ? "," + space() : "") + "\"" + key + "\"" + space() + ":" + space();
      text +=
          key == "args" && random() % 2 == 0 ? "{\"x\":" + space() + value() + ", \"y\": " + value() + "}" : value();
      text += space();
    }
    text += '}';
    if (random() % 4 == 0) {
      text[1 + random() % (text.size() - 1)] = "\"{}[]:, x\\\n"[random() % 11];
    }
    const std::string padded = text + std::string(kPadding, '\0');
    RawEvent fast;
    RawEvent full;
    const Place start = padded.data();
    const Place after = scanner.scan(start, start + text.size(), fast);
    const Place end = skip_value(start, start + text.size());
    const bool parsed = end != nullptr && parser.parse(start, end, full);
    if (after != nullptr && parsed) {
      ++accepted;
      ASSERT_EQ(after, end) << text;
      ASSERT_EQ(text_of(fast), text_of(full)) << text;
      for (const RawArgument& argument : fast.arguments) {
        const RawValue& number = argument.value;
        ASSERT_TRUE(!number.is_integer() || integer_of(number.text) == number.digits) << number.text;
        ASSERT_TRUE(number.is_integer() || number.type != RawType::kNumber || number.text.size() > 18 ||
                    !integer_of(number.text))
            << number.text;
      }
    } else if (after == nullptr && !parsed) {
      ++both_refused;
    } else if (after != nullptr) {  // only for what stands within an array or object
      ASSERT_NE(text.find_first_of("[{", 1), std::string::npos) << text;
    }
  }
  EXPECT_GT(accepted, 20'000);
  EXPECT_GT(both_refused, 5'000);
}

}  // namespace
}  // namespace aaco::chrome
