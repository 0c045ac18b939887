// SPDX-License-Identifier: MIT
#include "engine/ranks/nodes/shared_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files/file.h"
#include "base/files/temporary_folder.h"

namespace aaco {
namespace {

TEST(SharedFiles, TellWhatIsNewOnceAndNothingThatCame) {
  const auto folder = TemporaryFolder::create();
  SharedFiles files(folder->path());
  EXPECT_TRUE(files.changed().empty());
  ASSERT_TRUE(write_file_atomically(folder->path() / "rank_id_1.bin", "id"));
  ASSERT_TRUE(write_file_atomically(folder->path() / "plan.json", "{}"));
  ASSERT_TRUE(files.store({"rank_id.bin", "theirs"}));
  const auto changed = files.changed();
  ASSERT_EQ(changed.size(), 1U);
  EXPECT_EQ(changed[0].name, "rank_id_1.bin");
  EXPECT_EQ(changed[0].content, "id");
  EXPECT_TRUE(files.changed().empty());
  EXPECT_EQ(*read_file(folder->path() / "rank_id.bin"), "theirs");
}

TEST(SharedFiles, KnowWhatMayBeStored) {
  const auto folder = TemporaryFolder::create();
  SharedFiles files(folder->path());
  for (const char* name : {"../rank_id.bin", "/etc/passwd", "plan.json", "", ".", "rank_id/x.bin", "watch_1.txt"}) {
    EXPECT_EQ(files.store({name, "x"}).error().kind, ErrorKind::kUsage) << name;
  }
  EXPECT_TRUE(files.store({"iterations_p3.jrn", "x"}));
  EXPECT_FALSE(is_shared({"iterations_p3.jrn", ""}));
  EXPECT_TRUE(files.store({"overlapped_p3.jrn", "x"}));
  EXPECT_TRUE(is_shared({"watch_3.bin", ""}));
}

TEST(SharedFiles, LeftByARankAreItsJournalsClockAndWatch) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(write_file_atomically(folder->path() / "iterations_p2.jrn", "rows"));
  ASSERT_TRUE(write_file_atomically(folder->path() / "iterations_p2.clock.json", "{}"));
  ASSERT_TRUE(write_file_atomically(folder->path() / "watch_2.bin", "told"));
  ASSERT_TRUE(write_file_atomically(folder->path() / "one_by_one_p2.jrn", "events"));
  ASSERT_TRUE(write_file_atomically(folder->path() / "iterations_p1.jrn", "another's"));
  ASSERT_TRUE(write_file_atomically(folder->path() / "overlapped_p1.jrn", "another's"));
  ASSERT_TRUE(write_file_atomically(folder->path() / "watch_1.bin", "another's"));
  const auto left = files_left_by(folder->path(), 2);
  ASSERT_EQ(left.size(), 4U);
  EXPECT_EQ(left[3].name, "one_by_one_p2.jrn");
  EXPECT_EQ(left[0].content, "rows");
  EXPECT_EQ(left[1].name, "iterations_p2.clock.json");
  EXPECT_EQ(left[2].name, "watch_2.bin");
  EXPECT_EQ(left[2].content, "told");
}

}  // namespace
}  // namespace aaco
