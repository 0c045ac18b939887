// SPDX-License-Identifier: MIT
#include "base/files/kept_lines.h"

#include <atomic>
#include <fstream>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "base/files/temporary_folder.h"

namespace aaco {
namespace {

class KeptLinesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto folder = TemporaryFolder::create();
    ASSERT_TRUE(folder) << folder.error().message;
    folder_.emplace(std::move(*folder));
  }
  std::filesystem::path file() const { return folder_->path() / "new" / "lines.txt"; }
  // What is made is numbered.
  std::optional<std::string> ask(const std::filesystem::path& where, const std::string& key) {
    return KeptLines(where).value_of(
        key, [](const std::string& value) { return value.starts_with("made"); },
        [&] { return "made " + std::to_string(++made_); });
  }
  std::string text() const {
    std::ifstream in(file());
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::optional<TemporaryFolder> folder_;
  int made_ = 0;
};

TEST_F(KeptLinesTest, AreMadeOnce) {
  EXPECT_EQ(ask(file(), "a b"), "made 1");
  EXPECT_EQ(ask(file(), "c"), "made 2");
  EXPECT_EQ(ask(file(), "a b"), "made 1");
  EXPECT_EQ(text(), "a b\tmade 1\nc\tmade 2\n");
}

TEST_F(KeptLinesTest, TornAndStrangeLinesAreMadeAgain) {
  std::filesystem::create_directories(file().parent_path());
  std::ofstream(file()) << "no tab\n\n\tmade 9\na\tof another program\nb\tmade 7";
  EXPECT_EQ(ask(file(), "a"), "made 1") << "what is not accepted is no value";
  EXPECT_EQ(ask(file(), "a"), "made 1");
  EXPECT_EQ(ask(file(), "c"), "made 2");
  EXPECT_TRUE(text().ends_with("b\tmade 7\na\tmade 1\nc\tmade 2\n")) << text();
}

TEST_F(KeptLinesTest, NothingIsKeptWithoutAFile) {
  EXPECT_EQ(ask({}, "a"), "made 1");
  EXPECT_EQ(ask({}, "a"), "made 2");
  EXPECT_EQ(ask(folder_->path(), "a"), "made 3") << "a folder is no file";
  const auto nothing =
      KeptLines(file()).value_of("a", [](const std::string&) { return true; }, [] { return std::nullopt; });
  EXPECT_FALSE(nothing);
  EXPECT_EQ(text(), "");
}

// A lock of a file is of who opened it: threads wait for each other as processes do.
TEST_F(KeptLinesTest, AllHaveTheOneThatWasKeptFirst) {
  std::atomic<int> calls = 0;
  std::vector<std::optional<std::string>> values(8);
  std::vector<std::thread> threads;
  for (auto& value : values) {
    threads.emplace_back([&] {
      value = KeptLines(file()).value_of(
          "a", [](const std::string&) { return true; },
          [&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            return std::to_string(++calls);
          });
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  ASSERT_TRUE(values.front());
  EXPECT_EQ(values, std::vector<std::optional<std::string>>(8, values.front()));
  EXPECT_EQ(text(), "a\t" + *values.front() + "\n");
}

}  // namespace
}  // namespace aaco
