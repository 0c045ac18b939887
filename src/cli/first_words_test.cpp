// SPDX-License-Identifier: MIT
#include "cli/first_words.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "base/files/file.h"
#include "base/test_folder.h"

namespace aaco {

namespace {

using Words = std::vector<std::string>;

TEST(FirstWords, AFileIsWhatItsContentSays) {
  const TestFolder folder;
  const std::string model = (folder.path() / "model.onnx").string();
  const std::string trace = (folder.path() / "trace.json").string();
  const std::string session = (folder.path() / "session").string();
  std::filesystem::create_directory(session);
  ASSERT_TRUE(write_file_atomically(model, ""));
  ASSERT_TRUE(write_file_atomically(trace, ""));
  ASSERT_TRUE(write_file_atomically(session + "/session.json", "{}"));
  EXPECT_EQ(meant_command({model, "--batch", "2"}), (Words{"run", model, "--batch", "2"}));
  EXPECT_EQ(meant_command({trace, "--top", "3"}), (Words{"trace", "report", trace, "--top", "3"}));
  EXPECT_EQ(meant_command({session}), (Words{"report", session, "--format", "text"}));
  EXPECT_EQ(meant_command({session, "--format=md"}), (Words{"report", session, "--format=md"}));
}

TEST(FirstWords, WhatIsNotThereStaysAsItIs) { EXPECT_EQ(meant_command({"nothing.onnx"}), Words{"nothing.onnx"}); }

TEST(FirstWords, NamesThreeCommands) {
  const std::string text = first_steps();
  EXPECT_EQ(std::ranges::count(text, '\n'), 8) << text;
}

}  // namespace

}  // namespace aaco
