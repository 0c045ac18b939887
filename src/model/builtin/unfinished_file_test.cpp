// SPDX-License-Identifier: MIT
#include "model/builtin/unfinished_file.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files/file.h"

namespace aaco {
namespace {

namespace fs = std::filesystem;

class UnfinishedFiles : public ::testing::Test {
 protected:
  UnfinishedFiles() {
    std::string pattern = (fs::temp_directory_path() / "aaco_test_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~UnfinishedFiles() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  size_t files() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  fs::path folder_;
};

TEST_F(UnfinishedFiles, the_name_appears_with_the_whole_content) {
  const fs::path target = folder_ / "m.onnx";
  auto file = UnfinishedFile::create(target);
  ASSERT_TRUE(file);
  ASSERT_EQ(::write(file->descriptor(), "abc", 3), 3);
  EXPECT_FALSE(fs::exists(target));
  ASSERT_TRUE(file->finish());
  EXPECT_EQ(*read_file(target), "abc");
  EXPECT_EQ(files(), 1U);
}

TEST_F(UnfinishedFiles, given_up_leaves_nothing) {
  {
    ASSERT_TRUE(UnfinishedFile::create(folder_ / "m.onnx"));
  }
  EXPECT_EQ(files(), 0U);
}

TEST_F(UnfinishedFiles, one_of_a_killed_process_is_removed_and_one_being_written_stays) {
  std::array<int, 2> ready{};
  ASSERT_EQ(::pipe(ready.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto file = UnfinishedFile::create(folder_ / "m.onnx");
    (void)!::write(ready[1], file ? "y" : "n", 1);
    ::pause();
  }
  char signal = 0;
  ASSERT_EQ(::read(ready[0], &signal, 1), 1);
  ASSERT_EQ(signal, 'y');
  remove_abandoned_files(folder_);
  EXPECT_EQ(files(), 1U);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(files(), 1U);
  remove_abandoned_files(folder_);
  EXPECT_EQ(files(), 0U);
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_F(UnfinishedFiles, other_files_stay) {
  ASSERT_TRUE(write_file_atomically(folder_ / "resnet50.onnx", "x"));
  remove_abandoned_files(folder_);
  EXPECT_EQ(files(), 1U);
  remove_abandoned_files(folder_ / "not_there");
}

TEST_F(UnfinishedFiles, a_folder_that_is_missing_is_named) {
  const auto file = UnfinishedFile::create(folder_ / "none" / "m.onnx");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().kind, ErrorKind::kUsage);
  EXPECT_NE(file.error().message.find("none/m.onnx"), std::string::npos);
}

}  // namespace
}  // namespace aaco
