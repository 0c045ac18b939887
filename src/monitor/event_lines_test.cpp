// SPDX-License-Identifier: MIT
#include "monitor/event_lines.h"

#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <vector>

namespace aaco {
namespace {

TEST(EventLines, AReaderThatLeavesIsSaidOnceAndLosesNothing) {
  (void)std::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  std::vector<std::string> said;
  EventLines lines(ends[1], [&](const std::string& what) { said.push_back(what); });
  lines.write("one\n");
  char text[8] = {};
  EXPECT_EQ(::read(ends[0], text, sizeof text), 4);
  EXPECT_STREQ(text, "one\n");
  EXPECT_TRUE(said.empty());
  ::close(ends[0]);
  lines.write("two\n");
  lines.write("three\n");
  EXPECT_EQ(said, (std::vector<std::string>{"standard output: Broken pipe: no more lines; the rest goes on"}));
  EXPECT_FALSE(lines.lost());
  ::close(ends[1]);
  (void)std::signal(SIGPIPE, SIG_DFL);
}

TEST(EventLines, AFullDiskIsSaidOnceAndLosesLines) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  std::vector<std::string> said;
  EventLines lines(full, [&](const std::string& what) { said.push_back(what); });
  EXPECT_FALSE(lines.lost());
  lines.write("one\n");
  lines.write("two\n");
  EXPECT_EQ(said,
            (std::vector<std::string>{"standard output: No space left on device: no more lines; the rest goes on"}));
  EXPECT_TRUE(lines.lost());
  ::close(full);
}

}  // namespace
}  // namespace aaco
