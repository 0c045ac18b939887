// SPDX-License-Identifier: MIT
#include "base/files/temporary_folder.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace aaco {
namespace {

TEST(TemporaryFolder, GoesAwayWithAllThatItHolds) {
  std::filesystem::path path;
  {
    auto temporary = TemporaryFolder::create();
    ASSERT_TRUE(temporary);
    const TemporaryFolder folder = std::move(temporary).value();
    path = folder.path();
    ASSERT_TRUE(std::filesystem::is_directory(path)) << "the one that was moved from took it away";
    std::ofstream(path / "file") << "x";
    const auto other = TemporaryFolder::create();
    ASSERT_TRUE(other);
    EXPECT_NE(other->path(), path);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(TemporaryFolder, OfADeadProcessGoesAtTheNextStart) {
  const auto parent = TemporaryFolder::create();
  ASSERT_TRUE(parent);
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before != nullptr ? before : "";
  ::setenv("TMPDIR", parent->path().c_str(), 1);
  const pid_t child = ::fork();
  if (child == 0) {
    auto left = TemporaryFolder::create();
    std::ofstream(left->path() / "file") << "x";
    ::_exit(0);  // as a kill does: nothing is removed
  }
  ::waitpid(child, nullptr, 0);
  const auto entries = [&] {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(parent->path())) {
      paths.push_back(entry.path());
    }
    return paths;
  };
  ASSERT_EQ(entries().size(), 1);
  const auto alive = TemporaryFolder::create();
  ASSERT_TRUE(alive);
  std::filesystem::create_directory(parent->path() / "aaco-abcdef");           // of an older version, or a user's
  std::filesystem::create_directory(parent->path() / "aaco-ffffffff-abcdef");  // of another machine
  TemporaryFolder::remove_dead();
  before != nullptr ? ::setenv("TMPDIR", kept.c_str(), 1) : ::unsetenv("TMPDIR");
  EXPECT_EQ(entries().size(), 3);
  EXPECT_TRUE(std::filesystem::exists(alive->path()));
}

TEST(TemporaryFolder, SaysWhereNoneCanBeMade) {
  const auto there = TemporaryFolder::create();
  ASSERT_TRUE(there);
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before != nullptr ? before : "";
  ::setenv("TMPDIR", (there->path() / "missing").c_str(), 1);
  const auto folder = TemporaryFolder::create();
  before != nullptr ? ::setenv("TMPDIR", kept.c_str(), 1) : ::unsetenv("TMPDIR");
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().kind, ErrorKind::kUsage);
}

}  // namespace
}  // namespace aaco
