// SPDX-License-Identifier: MIT
#include "base/process/process.h"

#include <csignal>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/files/temporary_folder.h"

namespace aaco {
namespace {

struct Ran {
  Result<ProcessEnd> end;
  std::vector<std::string> lines;
};

Ran shell(const std::string& script) {
  std::vector<std::string> lines;
  ProcessOptions options;
  options.arguments = {"/bin/sh", "-c", script};
  options.on_line = [&](std::string_view line) { lines.emplace_back(line); };
  Result<ProcessEnd> end = run_process(options);
  return {std::move(end), std::move(lines)};
}

TEST(Process, LinesErrorTextAndExitCode) {
  const Ran ran = shell("echo one; printf two; echo wrong >&2; exit 7");
  ASSERT_TRUE(ran.end);
  EXPECT_EQ(ran.lines, (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(ran.end->error_text, "wrong\n");
  EXPECT_EQ(ran.end->exit_code, 7);
}

TEST(Process, TheSignalThatEndedIt) {
  const Ran ran = shell("kill -KILL $$");
  ASSERT_TRUE(ran.end);
  EXPECT_EQ(ran.end->signal, SIGKILL);
}

TEST(Process, MuchOutputArrivesWhole) {
  const Ran ran = shell("i=0; while [ $i -lt 5000 ]; do echo line$i; echo $i >&2; i=$((i+1)); done");
  ASSERT_TRUE(ran.end);
  ASSERT_EQ(ran.lines.size(), 5000U);
  EXPECT_EQ(ran.lines.back(), "line4999");
  EXPECT_TRUE(ran.end->error_text.ends_with("\n4999\n"));
}

// Each of these would wait for 400 s, and ctest end it, if the child's end were not enough.
TEST(Process, AGrandchildThatKeepsThePipesIsNotWaitedFor) {
  const Ran ran = shell("sleep 400 & echo started");
  ASSERT_TRUE(ran.end);
  EXPECT_EQ(ran.lines, std::vector<std::string>{"started"});
  EXPECT_EQ(ran.end->exit_code, 0);
}

TEST(Process, AChildThatClosedItsPipesIsEndedAtTheDeadline) {
  for (const char* script : {"exec >&- 2>&-; exec sleep 400", "trap '' TERM; while :; do echo x; done"}) {
    const int64_t start_ns = monotonic_ns();
    const auto lines = lines_of({"/bin/sh", "-c", script}, 50);
    const int64_t taken_ns = monotonic_ns() - start_ns;
    ASSERT_FALSE(lines) << script;
    EXPECT_EQ(lines.error().kind, ErrorKind::kUnavailable) << script;
    EXPECT_EQ(lines.error().message, "/bin/sh: did not run");
    EXPECT_GE(taken_ns, 50'000'000) << script << ": ended by something else";
    EXPECT_LT(taken_ns, 10'000'000'000) << script;  // TERM, a second later KILL; the rest is for a busy machine
  }
}

TEST(Process, AProgramThatIsNotThere) {
  const TemporaryFolder folder = TemporaryFolder::create().value();
  EXPECT_FALSE(lines_of({folder.path() / "program"}, 1000));
}

}  // namespace
}  // namespace aaco
