// SPDX-License-Identifier: MIT
#include "base/files/installation.h"

#include <cstdlib>
#include <gtest/gtest.h>

#include "base/test_folder.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

TEST(Installation, LibrariesLieBesideTheProgramOrBelowItsPrefix) {
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path();
  EXPECT_EQ(library_folders(), (std::vector<fs::path>{program, program.parent_path() / "lib/aaco"}));
}

TEST(Installation, TheInterpretersFoldersComeInItsOrderAndOnlyThoseThatExist) {
  const TestFolder folder;
  fs::create_directories(folder.path() / "user");
  fs::create_directories(folder.path() / "system");
  const std::string user = (folder.path() / "user").string();
  const std::string system = (folder.path() / "system").string();
  ::setenv("AACO_PYTHON_PACKAGES", (user + "::" + folder.path().string() + "/gone:" + system + ":" + user).c_str(), 1);
  const auto folders = own_python_packages();
  ::unsetenv("AACO_PYTHON_PACKAGES");
  EXPECT_EQ(folders, (std::vector<fs::path>{user, system}));
  EXPECT_TRUE(own_python_packages().empty());  // no wheel: this program does not lie in one
}

TEST(Installation, AnActiveEnvironmentIsTheFirstOfTheOtherPythons) {
  const TestFolder folder;
  fs::create_directories(folder.path() / "lib/python3.12/site-packages");
  fs::create_directories(folder.path() / "lib/python3.11/site-packages");
  const char* before = std::getenv("VIRTUAL_ENV");
  const std::string kept = before != nullptr ? before : "";
  ::setenv("VIRTUAL_ENV", folder.path().c_str(), 1);
  const auto folders = other_python_packages();
  before != nullptr ? ::setenv("VIRTUAL_ENV", kept.c_str(), 1) : ::unsetenv("VIRTUAL_ENV");
  ASSERT_GE(folders.size(), 2U);
  EXPECT_EQ(folders[0], folder.path() / "lib/python3.11/site-packages");
  EXPECT_EQ(folders[1], folder.path() / "lib/python3.12/site-packages");
}

}  // namespace

}  // namespace aaco
