// SPDX-License-Identifier: MIT
#include "base/new_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "base/file.h"
#include "base/output_file.h"
#include "base/temporary_folder.h"

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
  EXPECT_TRUE(expect_no_input("/dev/stdout", std::vector<fs::path>{"/dev/stdout"}));
}

}  // namespace
}  // namespace aaco
