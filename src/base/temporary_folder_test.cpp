// SPDX-License-Identifier: MIT
#include "base/temporary_folder.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>

namespace aaco {
namespace {

TEST(TemporaryFolder, GoesAwayWithAllThatItHolds) {
  std::filesystem::path path;
  {
    auto made = TemporaryFolder::create();
    ASSERT_TRUE(made);
    const TemporaryFolder folder = std::move(made).value();
    path = folder.path();
    ASSERT_TRUE(std::filesystem::is_directory(path)) << "the one that was moved from took it away";
    std::ofstream(path / "file") << "x";
    const auto other = TemporaryFolder::create();
    ASSERT_TRUE(other);
    EXPECT_NE(other->path(), path);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
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
