// SPDX-License-Identifier: MIT
#include "kind/observation/observation_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>

#include "base/json/json.h"
#include "kind/observation/host_figures.h"
#include "kind/observation/observation_devices.h"
#include "kind/observation/observation_gaps.h"

namespace aaco {
namespace {

using testing::HasSubstr;
using testing::Not;

ObservationDocument two_processes() {
  ObservationDocument document;
  document.command = {"python3", "train.py"};
  document.exit_code = 137;
  document.signal = 9;
  document.journal_bytes = 4'000;
  ProcessRecording first;
  first.pid = 11;
  first.events = 30;
  first.lost = 10;
  first.collector_ns = 2'000;
  ProcessRecording second;
  second.pid = 12;
  second.state = RecordingState::kCut;
  second.last_flush_ns = 77;
  second.events = 10;
  second.collector_ns = 3'000;
  document.processes = {first, second};
  return document;
}

TEST(ObservationDocument, ComesBackAsItWasWritten) {
  const Json json = observation_json(two_processes());
  const Result<ObservationDocument> again = read_observation(json, "observation.json");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(observation_json(*again), json);
  EXPECT_EQ(again->processes[1].state, RecordingState::kCut);
  EXPECT_EQ(again->processes[1].last_flush_ns, 77);
  EXPECT_FALSE(again->processes[0].last_flush_ns);
}

// 5,000 ns for 30 + 10 + 10 records that came to the collector; 4,000 B for the 40 that are stored.
TEST(ObservationDocument, SaysWhatAnEventCost) {
  const ObservationDocument document = two_processes();
  EXPECT_EQ(document.events(), 40U);
  EXPECT_DOUBLE_EQ(document.collector_ns_per_event().value(), 100);
  EXPECT_DOUBLE_EQ(document.bytes_per_event().value(), 100);
}

TEST(ObservationDocument, WithoutEventsSaysNothingOfTheirCost) {
  const ObservationDocument document;
  EXPECT_FALSE(document.collector_ns_per_event());
  EXPECT_FALSE(document.bytes_per_event());
  EXPECT_TRUE(observation_json(document)["collector_ns_per_event"].is_null());
}

// Of a process that was killed before its first flush nothing is known: 2,000 ns are of the first one's 40 records.
TEST(ObservationDocument, TakesNoZeroForACostThatIsNotKnown) {
  ObservationDocument document = two_processes();
  document.processes[1].collector_ns.reset();
  EXPECT_DOUBLE_EQ(document.collector_ns_per_event().value(), 50);
  document.processes[0].collector_ns = 0;  // as earlier versions stored it
  EXPECT_FALSE(document.collector_ns_per_event());
}

TEST(ObservationDocument, SaysWhatIsNotThere) {
  ObservationDocument document = two_processes();
  document.from_ns = 1'000'000'000;
  document.to_ns = 2'200'000'000;
  EXPECT_EQ(gaps_text(document), "10 of 50 events were lost");
  document.processes[0].dropped = 5'930;
  document.stopped_ns = 1'300'000'000;
  EXPECT_EQ(gaps_text(document), "5,940 of 5,980 events were lost, recording stopped after 300.0 ms of 1.200 s");
  document.processes.clear();
  document.stopped_ns.reset();
  EXPECT_EQ(gaps_text(document), "");
}

// 40 ms of the collector, and one of 10 s after the process's start is recorded: the budget is of the time in which it
// could take some.
TEST(ObservationDocument, ABudgetIsAShareOfTheTimeUntilRecordingEnded) {
  constexpr int64_t kSecond = 1'000'000'000;
  ObservationDocument document;
  document.budget_ppm = 15'000;
  document.to_ns = 11 * kSecond;
  ProcessRecording process;
  process.from_ns = kSecond;
  process.cost_ns = 40'000'000;
  process.spans.push_back({.start_ns = kSecond, .end_ns = 2 * kSecond});
  EXPECT_THAT(report::budget_text(document, process), HasSubstr("the collector took 0.40 % of the time, 1.50 %"));
  process.last_flush_ns = 5 * kSecond;
  EXPECT_THAT(report::budget_text(document, process), HasSubstr("the collector took 1.00 % of the time"));
  EXPECT_THAT(report::budget_text(document, process), Not(HasSubstr("before pauses could make up for it")));
  process.state = RecordingState::kCut;  // at a time that nobody knows
  EXPECT_THAT(report::budget_text(document, process), HasSubstr("the collector took 0.40 % of the time"));
  document.stopped_ns = 3 * kSecond;
  EXPECT_THAT(report::budget_text(document, process), HasSubstr("the collector took 2.00 % of the time"));
  EXPECT_THAT(report::budget_text(document, process), HasSubstr("before pauses could make up for it"));
  process.state = RecordingState::kWhole;  // it came after the stop, and was stopped as soon as it was seen
  process.from_ns = 4 * kSecond;
  process.spans.front() = {.start_ns = 4 * kSecond, .end_ns = 5 * kSecond};
  EXPECT_THAT(report::budget_text(document, process), HasSubstr("recorded 1.000 s of 1.000 s"));
}

TEST(ObservationDocument, SaysForWhomNothingIsKnown) {
  EXPECT_EQ(nothing_text(ObservationDocument()),
            "no process that inherited aaco's environment used CUDA (in a container, or behind sudo or a daemon, run "
            "aaco in there)");
}

// One processor of 64 is all that a program with a quota of one can keep busy.
TEST(ObservationDocument, AQuotaBelowTheAffinityIsNamed) {
  HostUse use;
  use.processors = 64;
  use.busy_ns = 1'000'000'000;
  use.seen_ns = 1'000'000'000;
  const auto processors = [&] { return report::host_answer(use, 0, std::nullopt, 1).processors; };
  EXPECT_EQ(processors(), "1.00 of 64 processors busy");
  use.quota_processors = 128;
  EXPECT_EQ(processors(), "1.00 of 64 processors busy");
  use.quota_processors = 1;
  EXPECT_EQ(processors(), "1.00 of 1 processors of its CPU quota busy (64 in its affinity)");
  use.quota_processors = 2.5;
  EXPECT_EQ(processors(), "1.00 of 2.5 processors of its CPU quota busy (64 in its affinity)");
  ObservationDocument document = two_processes();
  document.host = use;
  const Json json = observation_json(document);
  EXPECT_EQ(json["host"]["quota_processors"], 2.5);
  EXPECT_EQ(read_observation(json, "observation.json")->host->quota_processors, 2.5);
}

TEST(ObservationDocument, OfAnotherShapeIsRefused) {
  for (const char* text :
       {"[]", "{}", R"({"command": "x", "processes": []})", R"({"command": [], "processes": [{"pid": "x"}]})"}) {
    const Result<ObservationDocument> read = read_observation(Json::parse(text), "observation.json");
    ASSERT_FALSE(read) << text;
    EXPECT_THAT(read.error().message, HasSubstr("observation.json"));
  }
}

}  // namespace
}  // namespace aaco
