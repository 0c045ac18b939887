// SPDX-License-Identifier: MIT
#include "kind/observation/recorded_spans.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>

namespace aaco {
namespace {

using testing::ElementsAre;

std::optional<size_t> period_of(std::string_view letters) {
  const std::vector<StringId> names(letters.begin(), letters.end());
  return repeated_period(names);
}

TEST(RepeatedPeriod, IsTheShortestThatRepeatsThreeTimes) {
  EXPECT_EQ(period_of("abcabcabc"), 3U);
  EXPECT_EQ(period_of("abcabcabcab"), 3U);  // a step that was cut
  EXPECT_EQ(period_of("bcabcabca"), 3U);    // from the middle of a step on
  EXPECT_EQ(period_of("aabaabaab"), 3U);
  EXPECT_EQ(period_of("aaaa"), 1U);
  EXPECT_EQ(period_of("abcabc"), std::nullopt);
  EXPECT_EQ(period_of("abcabdabc"), std::nullopt);
  EXPECT_EQ(period_of(""), std::nullopt);
}

// Each letter is a kernel of 5 ns, and its launch 10 ns before.
class Recording {
 public:
  Recording() {
    events_.recordings.push_back({"7 program", "aaco"});
    Track host;
    events_.tracks.push_back(host);
    Track stream;
    stream.device = 0;
    stream.stream = 7;
    events_.tracks.push_back(stream);
  }
  void launch(std::string_view letters, int64_t start_ns) {
    for (const char letter : letters) {
      ++correlation_;
      add(EventKind::kHostCall, "launch", start_ns, 0);
      add(EventKind::kKernel, std::string(1, letter), start_ns + 10, 1);
      start_ns += 20;
    }
  }
  void range(const std::string& name, int64_t start_ns, int64_t end_ns) {
    TraceEvent event;
    event.start_ns = start_ns;
    event.duration_ns = end_ns - start_ns;
    event.name = events_.strings.intern(name);
    event.kind = EventKind::kHostRange;
    events_.add(event, {});
  }
  EventTable take() { return std::move(events_); }

 private:
  void add(EventKind kind, const std::string& name, int64_t start_ns, uint32_t track) {
    TraceEvent event;
    event.start_ns = start_ns;
    event.duration_ns = 5;
    event.correlation = correlation_;
    event.name = events_.strings.intern(name);
    event.track = track;
    event.kind = kind;
    events_.add(event, {});
  }
  EventTable events_;
  int64_t correlation_ = 0;
};

std::string kernels_of(const EventTable& events, uint32_t recording) {
  std::string letters;
  for (size_t row = 0; row < events.size(); ++row) {
    if (events.kind[row] == EventKind::kKernel && events.tracks[events.track[row]].recording == recording) {
      letters += events.strings[events.name[row]];
    }
  }
  return letters;
}

TEST(RecordedSpans, KeepWholeStepsEachAsARecording) {
  Recording recording;
  recording.launch("abcabcabca", 1000);  // a step and a kernel of the next
  recording.launch("bcabcabca", 9000);   // from the middle of one on, three whole ones
  recording.launch("xyzzy", 20'000);     // nothing repeats
  std::vector<RecordedSpan> spans(3);
  spans[0].start_ns = 900;
  spans[1].start_ns = 8900;
  spans[2].start_ns = 19'000;
  EventTable events = recording.take();
  const size_t count = events.size();
  const EventTable kept = keep_whole_steps(std::move(events), spans);
  ASSERT_EQ(kept.recordings.size(), 3U);
  EXPECT_EQ(kept.recordings[1].name, "7 program, span 2");
  EXPECT_EQ(kernels_of(kept, 0), "abcabcabc");
  EXPECT_EQ(kernels_of(kept, 1), "bcabcabca");
  EXPECT_EQ(kernels_of(kept, 2), "xyzzy");
  EXPECT_EQ(spans[0].steps, 3U);
  EXPECT_EQ(spans[0].step_kernels, 3U);
  EXPECT_EQ(spans[0].left_out, 2U);  // the kernel and its launch
  EXPECT_EQ(spans[1].left_out, 0U);
  EXPECT_EQ(spans[2].steps, 0U);
  EXPECT_EQ(kept.size(), count - 2);
}

// "name from+duration" of each range.
std::vector<std::string> ranges_of(const EventTable& events, uint32_t recording) {
  std::vector<std::string> ranges;
  for (size_t row = 0; row < events.size(); ++row) {
    if (events.kind[row] == EventKind::kHostRange && events.tracks[events.track[row]].recording == recording) {
      ranges.push_back(std::string(events.strings[events.name[row]]) + ' ' + std::to_string(events.start_ns[row]) +
                       '+' + std::to_string(events.duration_ns[row]));
    }
  }
  return ranges;
}

TEST(RecordedSpans, HaveTheirPartOfRangesThatGoOnInPauses) {
  Recording recording;
  recording.launch("abcabcabca", 1000);  // the last step begins at 1180
  recording.launch("abcabcabc", 9000);
  recording.range("train", 500, 30'000);
  recording.range("tail", 1100, 5000);
  recording.range("cut", 1190, 1195);
  recording.range("in the pause", 4000, 5000);
  recording.range("moment", 9050, 9050);
  std::vector<RecordedSpan> spans(2);
  spans[0] = {.start_ns = 900, .end_ns = 1300};
  spans[1] = {.start_ns = 8900, .end_ns = 9300};
  const EventTable kept = keep_whole_steps(recording.take(), spans);
  EXPECT_THAT(ranges_of(kept, 0), ElementsAre("train 900+280", "tail 1100+80"));
  EXPECT_THAT(ranges_of(kept, 1), ElementsAre("train 8900+400", "moment 9050+0"));
  EXPECT_EQ(spans[0].left_out, 3U);  // a kernel, its launch, and the range of that step
}

}  // namespace
}  // namespace aaco
