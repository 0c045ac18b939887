// SPDX-License-Identifier: MIT
#include "record/journal/journal_rows.h"

#include <gtest/gtest.h>

#include "base/test_folder.h"

namespace aaco {
namespace {

TEST(LastIterations, AreTheNewestWhileTheWriterIsAtWork) {
  const TestFolder folder;
  const std::filesystem::path path = folder.path() / iteration_journal_name(3);
  auto writer = create_iteration_journal(path, 3);
  ASSERT_TRUE(writer);
  ASSERT_TRUE(write_journal_clock(path, TickClock({1000, 1000}, {2000, 2000})));
  EXPECT_EQ(read_last_iterations(path, 10)->rows.size(), 0U);
  constexpr uint64_t kRows = 100'000;
  for (uint64_t i = 0; i < kRows; ++i) {
    ASSERT_TRUE(writer->append(IterationJournalRow{1000 + i, 1001 + i, 1, -1}));
  }
  const auto last = read_last_iterations(path, 10);
  ASSERT_TRUE(last) << last.error().message;
  ASSERT_EQ(last->rows.size(), 10U);
  EXPECT_EQ(last->older, kRows - 10);
  EXPECT_EQ(last->rows.back().t_end_ns, static_cast<int64_t>(1000 + kRows));
  EXPECT_EQ(last->rows.back().iter_idx, static_cast<int64_t>(kRows - 1));
  EXPECT_EQ(last->rows.back().process, 3);
  const auto all = read_last_iterations(path, 2 * kRows);
  EXPECT_EQ(all->rows.size(), kRows);
  EXPECT_EQ(all->older, 0U);
}

}  // namespace
}  // namespace aaco
