// SPDX-License-Identifier: MIT
#include "base/files/new_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "base/files/file.h"
#include "base/files/output_file.h"
#include "base/files/temporary_folder.h"

namespace aaco {
namespace {

namespace fs = std::filesystem;

TEST(NewFile, NamesDifferAndLieBesideTheTarget) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  const fs::path target = folder->path() / "page.html";
  const auto first = make_file_beside(target, O_WRONLY);
  const auto second = make_file_beside(target, O_RDWR);
  ASSERT_TRUE(first && second);
  EXPECT_NE(first->path, second->path);
  EXPECT_EQ(first->path.parent_path(), folder->path());
  ::close(first->descriptor);
  ::close(second->descriptor);
  EXPECT_FALSE(make_file_beside(folder->path() / "missing" / "page.html", O_WRONLY));
}

// Whoever knows the process's id used to know the name.
TEST(NewFile, LinksUnderTheOldNamesAreNotWrittenThrough) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  const fs::path victim = folder->path() / "victim";
  ASSERT_TRUE(write_file_atomically(victim, "kept"));
  fs::create_symlink(victim, folder->path() / ("page.html.tmp" + std::to_string(::getpid())));
  ASSERT_TRUE(write_file_atomically(folder->path() / "page.html", "new"));
  EXPECT_EQ(*read_file(victim), "kept");
  EXPECT_EQ(*read_file(folder->path() / "page.html"), "new");
}

// As of a process that was killed: nobody holds its lock.
fs::path left_by_a_dead_process(const fs::path& target) {
  const auto left = make_file_beside(target, O_WRONLY);
  ::close(left->descriptor);
  return left->path;
}

TEST(NewFile, TheNextOneRemovesWhatADeadProcessLeft) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  const fs::path target = folder->path() / "page.html";
  const fs::path others = left_by_a_dead_process(folder->path() / "other.html");
  const fs::path dead = left_by_a_dead_process(target);
  const auto alive = make_file_beside(target, O_WRONLY);
  ASSERT_TRUE(alive);
  EXPECT_FALSE(fs::exists(dead));
  // Of another machine, whose locks do not show here; and files that are the user's.
  const fs::path elsewhere = folder->path() / "page.html.tmpffffffff00000000";
  const fs::path own = folder->path() / "page.html.tmp";
  ASSERT_NE(machine_mark(), "ffffffff");
  ASSERT_TRUE(write_file_atomically(elsewhere, "x") && write_file_atomically(own, "x"));
  ASSERT_TRUE(write_file_atomically(target, "new"));
  EXPECT_TRUE(fs::exists(alive->path)) << "its owner is alive";
  EXPECT_TRUE(fs::exists(others)) << "of another target";
  EXPECT_TRUE(fs::exists(elsewhere));
  EXPECT_TRUE(fs::exists(own));
  ::close(alive->descriptor);
}

TEST(NewFile, AnInputIsNoOutputUnderAnyName) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  const fs::path trace = folder->path() / "t.json";
  const fs::path other = folder->path() / "other.json";
  ASSERT_TRUE(write_file_atomically(trace, "{}"));
  ASSERT_TRUE(write_file_atomically(other, "{}"));
  fs::create_symlink(trace, folder->path() / "link.json");
  fs::create_hard_link(trace, folder->path() / "hard.json");
  const std::vector<fs::path> inputs{trace};
  for (const char* name : {"t.json", "./t.json", "link.json", "hard.json"}) {
    EXPECT_FALSE(expect_no_input(folder->path() / name, inputs)) << name;
  }
  EXPECT_TRUE(expect_no_input(other, inputs));
  EXPECT_TRUE(expect_no_input(folder->path() / "missing.json", inputs));
  EXPECT_TRUE(expect_no_input("/dev/null", std::vector<fs::path>{"/dev/null"}));
}

}  // namespace
}  // namespace aaco
