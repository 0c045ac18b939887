// SPDX-License-Identifier: MIT
#include "serve/timeline/viewport.h"

#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <random>

#include "base/files/file.h"
#include "base/test_folder.h"
#include "serve/timeline/build_timeline.h"
#include "serve/timeline/timeline_queries.h"

namespace aaco::serve {
namespace {

// A thread with nested calls, a stream with `kernels` kernels of which one lasts `spike_ns`, and a counter.
EventTable small_table(size_t kernels, int64_t spike_ns) {
  EventTable events;
  events.recordings.push_back({"a.json", "kineto"});
  Track thread;
  thread.thread_name = events.strings.intern("main");
  thread.process_name = events.strings.intern("python");
  Track stream;
  stream.device = 0;
  stream.stream = 7;
  stream.rank = 1;
  events.tracks = {thread, stream};
  const auto slice = [&](uint32_t track, const char* name, EventKind kind, int64_t start_ns, int64_t duration_ns) {
    TraceEvent event;
    event.start_ns = start_ns;
    event.duration_ns = duration_ns;
    event.name = events.strings.intern(name);
    event.track = track;
    event.kind = kind;
    events.add(event, {});
  };
  slice(0, "outer", EventKind::kHostOp, 0, 1'000);
  slice(0, "inner", EventKind::kHostCall, 100, 200);
  std::mt19937_64 random(9);
  for (size_t i = 0; i < kernels; ++i) {
    const bool is_spike = i == kernels / 2;
    slice(1, is_spike ? "spike" : "gemm", EventKind::kKernel, static_cast<int64_t>(i) * 10'000,
          is_spike ? spike_ns : 1'000 + static_cast<int64_t>(random() % 1'000));
  }
  for (int i = 0; i < 1'000; ++i) {
    TraceEvent event;
    event.start_ns = i * 1'000;
    event.name = events.strings.intern("power");
    event.shape = EventShape::kCounter;
    const double value = i == 500 ? 900 : 100;
    Argument argument{events.strings.intern("value"), ArgumentType::kReal, 0};
    std::memcpy(&argument.bits, &value, sizeof value);
    events.add(event, std::span(&argument, 1));
  }
  return events;
}

std::shared_ptr<const TimelineIndex> index_of(const EventTable& events, const TestFolder& folder) {
  const Result<uint64_t> bytes =
      build_timeline({events, events.size(), std::nullopt, "now"}, folder.path() / "t.index");
  EXPECT_TRUE(bytes) << bytes.error().message;
  const auto index = TimelineIndex::open(folder.path() / "t.index");
  EXPECT_TRUE(index) << index.error().message;
  return *index;
}

size_t track_named(const TimelineIndex& index, const std::string& name) {
  for (size_t track = 0; track < index.tracks(); ++track) {
    if (index.track(track).name == name) {
      return track;
    }
  }
  ADD_FAILURE() << "no track " << name;
  return 0;
}

TEST(Timeline, HasTheTracksOfItsTable) {
  const TestFolder folder;
  const auto index = index_of(small_table(100, 5'000), folder);
  EXPECT_EQ(index->track(track_named(*index, "main")).lanes.size(), 2U);
  EXPECT_EQ(index->track(track_named(*index, "main")).group, "python");
  EXPECT_EQ(index->track(track_named(*index, "stream 7")).group, "rank 1 device 0");
  EXPECT_EQ(index->track(track_named(*index, "stream 7")).events(), 100U);
  EXPECT_EQ(index->track(track_named(*index, "power")).max, 900);
  EXPECT_TRUE(index->track(track_named(*index, "idle")).is_idle);
  EXPECT_EQ(index->outline().start_ns, 0);
}

TEST(TimelineIndex, ADamagedFileIsRefused) {
  const TestFolder folder;
  index_of(small_table(100, 900), folder);
  const std::filesystem::path path = folder.path() / "t.index";
  const std::string whole = *read_file(path);
  const auto opens = [&](const std::string& bytes) {
    EXPECT_TRUE(write_file_atomically(path, bytes));
    return TimelineIndex::open(path).has_value();
  };
  EXPECT_TRUE(opens(whole));
  for (size_t at = 0; at < whole.size(); at += whole.size() / 20) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 4);
    EXPECT_FALSE(opens(changed)) << at;
    EXPECT_FALSE(opens(whole.substr(0, at))) << at;
  }
  EXPECT_FALSE(opens(whole + std::string(8, '\0')));
  EXPECT_FALSE(opens(whole.substr(8)));
}

// Whatever is merged: every event is in one box, and the spike stands in one of its own name.
TEST(Viewport, CountsEveryEventOnceAndShowsTheLongest) {
  constexpr size_t kKernels = 300'000;
  constexpr int64_t kSpikeNs = 9'000;
  const TestFolder folder;
  const auto index = index_of(small_table(kKernels, kSpikeNs), folder);
  const size_t track = track_named(*index, "stream 7");
  for (const uint32_t pixels : {1U, 10U, 100U, 1'000U, 8'000U}) {
    ViewBoxes boxes;
    add_view(*index, track, {index->outline().start_ns, index->outline().end_ns + 1, pixels}, boxes);
    EXPECT_EQ(std::accumulate(boxes.begin(), boxes.end(), size_t{0},
                              [](size_t sum, const ViewBox& box) { return sum + box.count; }),
              kKernels)
        << pixels;
    EXPECT_LE(boxes.size(), size_t{2} * pixels + 260) << pixels;
    const ViewBox& longest = *std::max_element(
        boxes.begin(), boxes.end(), [](const ViewBox& a, const ViewBox& b) { return a.longest_ns < b.longest_ns; });
    EXPECT_EQ(longest.longest_ns, kSpikeNs) << pixels;
    EXPECT_EQ(index->name_of(longest.label), "spike") << pixels;
    for (size_t i = 1; i < boxes.size(); ++i) {
      ASSERT_GE(boxes[i].start_ns, boxes[i - 1].start_ns + boxes[i - 1].duration_ns) << pixels;
    }
  }
}

TEST(Viewport, OfFewEventsEachIsItself) {
  const TestFolder folder;
  const auto index = index_of(small_table(300'000, 9'000), folder);
  const size_t track = track_named(*index, "stream 7");
  ViewBoxes boxes;
  add_view(*index, track, {1'000'500, 1'035'000, 1'000}, boxes);
  ASSERT_EQ(boxes.size(), 4U);  // those at 1,000,000 (it goes on), 1,010,000, 1,020,000 and 1,030,000
  EXPECT_EQ(boxes[0].start_ns, -500);
  EXPECT_EQ(boxes[1].start_ns, 9'500);
  EXPECT_TRUE(std::all_of(boxes.begin(), boxes.end(), [](const ViewBox& box) { return box.count == 1; }));
  const std::optional<TimelineEvent> event = event_of_row(*index, boxes[1].event);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->slice.start_ns, 1'010'000);
}

TEST(Viewport, OfACounterKeepsTheExtremes) {
  const TestFolder folder;
  const auto index = index_of(small_table(10, 5'000), folder);
  for (const uint32_t pixels : {1U, 7U, 2'000U}) {
    ViewBoxes boxes;
    add_view(*index, track_named(*index, "power"), {0, 1'000'000, pixels}, boxes);
    const auto is_less = [](const ViewBox& a, const ViewBox& b) { return a.most < b.most; };
    EXPECT_EQ(std::max_element(boxes.begin(), boxes.end(), is_less)->most, 900) << pixels;
    EXPECT_TRUE(std::all_of(boxes.begin(), boxes.end(),
                            [](const ViewBox& box) { return box.least == 100 || box.most == 900; }));
    EXPECT_LE(boxes.size(), std::min<size_t>(pixels + 1, 1'000)) << pixels;
  }
}

// A step that the host marked spans its kernels and the gaps between them: the stream worked in the kernels alone.
TEST(TimelineQueries, AnnotationsKeepNoStreamBusy) {
  const TestFolder folder;
  EventTable events = small_table(2, 5'000);
  TraceEvent step;
  step.duration_ns = 1'000'000;
  step.name = events.strings.intern("ProfilerStep#1");
  step.track = 1;
  step.kind = EventKind::kDeviceRange;
  events.add(step, {});
  const auto index = index_of(events, folder);
  const std::vector<size_t> tracks{track_named(*index, "stream 7")};
  const SelectionStatistics whole = selection_statistics(*index, tracks, 0, 1'000'000);
  int64_t kernels_ns = 0;
  for (const NameTotal& total : whole.names) {
    kernels_ns += index->name_of(total.label) == "ProfilerStep#1" ? 0 : total.total_ns;
  }
  EXPECT_GE(kernels_ns, 6'000);
  EXPECT_EQ(whole.tracks[0].busy_ns, kernels_ns);
}

TEST(TimelineQueries, SearchAndSumWhatIsThere) {
  const TestFolder folder;
  const auto index = index_of(small_table(100, 5'000), folder);
  const SearchResult result = search_names(*index, "GEM", 10);
  EXPECT_EQ(result.total, 99U);
  EXPECT_EQ(result.matches.size(), 10U);
  const std::vector<size_t> tracks{track_named(*index, "main")};
  const SelectionStatistics whole = selection_statistics(*index, tracks, 0, 2'000);
  ASSERT_EQ(whole.names.size(), 2U);
  EXPECT_EQ(index->name_of(whole.names[0].label), "outer");
  EXPECT_EQ(whole.tracks[0].busy_ns, 1'000);
  const SelectionStatistics part = selection_statistics(*index, tracks, 150, 500);
  EXPECT_EQ(part.names[0].total_ns, 350);
  EXPECT_EQ(part.names[1].total_ns, 150);
  EXPECT_EQ(part.tracks[0].busy_ns, 350);
}

TEST(TimelineQueries, TheWorstGapComesFirst) {
  const TestFolder folder;
  const auto index = index_of(small_table(100, 5'000), folder);
  const std::vector<TimelineEvent> gaps = worst_gaps(*index, 3);
  ASSERT_EQ(gaps.size(), 3U);
  EXPECT_GE(gaps[0].slice.duration_ns, gaps[1].slice.duration_ns);
  EXPECT_GE(gaps[1].slice.duration_ns, gaps[2].slice.duration_ns);
  EXPECT_TRUE(index->track(gaps[0].track).is_idle);
}

}  // namespace
}  // namespace aaco::serve
