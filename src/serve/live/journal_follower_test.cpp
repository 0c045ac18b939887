// SPDX-License-Identifier: MIT
#include "serve/live/journal_follower.h"

#include <filesystem>
#include <gtest/gtest.h>

#include "base/test_folder.h"
#include "record/journal/event_journal.h"
#include "record/journal/journal_rows.h"
#include "session/bundle/layout.h"

namespace aaco::serve {
namespace {

TEST(JournalFollower, CountsEventsWhileTheyAreStored) {
  const TestFolder folder;
  const std::filesystem::path journals = folder.path() / layout::kJournals;
  std::filesystem::create_directories(journals);
  auto writer = EventJournalWriter::create(journals / "1.jrn");
  ASSERT_TRUE(writer);
  auto rows = create_iteration_journal(journals / "others.jrn", 0);  // of rows, which are no events
  ASSERT_TRUE(rows);
  writer->add_recording({"a", "b"});
  const uint32_t track = writer->add_track({});
  const StringId bytes = writer->intern("bytes");
  const StringId long_name = writer->intern(std::string(100, 'x'));
  const auto add = [&](EventKind kind, uint64_t size) {
    const Argument arguments[] = {{long_name, ArgumentType::kInteger, 5}, {bytes, ArgumentType::kInteger, size}};
    ASSERT_TRUE(writer->add({1, 2, kNoId, kNoId, long_name, kEmptyString, track, kind, EventShape::kSlice}, arguments));
  };
  JournalFollower follower(folder.path(), false);
  EXPECT_EQ(follower.look().events.events, 0U);
  add(EventKind::kKernel, 1);
  add(EventKind::kCopy, 1000);
  add(EventKind::kHostCall, 1);
  RunningFigures figures = follower.look();
  EXPECT_EQ(figures.event_journals, 1U);
  EXPECT_EQ(figures.events.events, 3U);
  EXPECT_EQ(figures.events.kernels, 1U);
  EXPECT_EQ(figures.events.copies, 1U);
  EXPECT_EQ(figures.events.copied_bytes, 1000U);
  ASSERT_FALSE(figures.rates.empty());
  EXPECT_GT(figures.rates.back().kernels_per_s, 0);
  add(EventKind::kCopy, 24);
  figures = follower.look();
  EXPECT_EQ(figures.events.copied_bytes, 1024U);
  EXPECT_EQ(figures.rates.back().kernels_per_s, 0);
}

// Every rank does every step: one of them says how many there were.
TEST(JournalFollower, OfRanksTheFirstOnesIterationsAreCounted) {
  const TestFolder folder;
  const std::filesystem::path journals = folder.path() / layout::kJournals;
  std::filesystem::create_directories(journals);
  for (const int64_t rank : {0, 1}) {
    const std::filesystem::path path = journals / iteration_journal_name(rank);
    auto journal = create_iteration_journal(path, rank);
    ASSERT_TRUE(journal);
    ASSERT_TRUE(write_journal_clock(path, TickClock({1, 1}, {2, 2})));
    const uint64_t start = 1000 * static_cast<uint64_t>(rank + 1);
    for (uint64_t step = 0; step < 3; ++step) {
      ASSERT_TRUE(journal->append(IterationJournalRow{start + 10 * step, start + 10 * step + 9, 1, -1}));
    }
  }
  EXPECT_EQ(JournalFollower(folder.path(), false).look().iterations, 6U);
  const RunningFigures figures = JournalFollower(folder.path(), true).look();
  EXPECT_EQ(figures.iterations, 3U);
  ASSERT_EQ(figures.last.size(), 3U);
  EXPECT_EQ(figures.last.back().end_ns, 1029);
}

}  // namespace
}  // namespace aaco::serve
