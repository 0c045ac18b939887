// SPDX-License-Identifier: MIT
#include "base/process/foreign_command.h"

#include <csignal>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

namespace aaco {
namespace {

using testing::HasSubstr;

constexpr int kEveryMs = 5;

Result<CommandEnd> run(
    const std::string& script, const std::function<Result<void>()>& meanwhile = [] { return Result<void>(); }) {
  Result<ForeignCommand> command = ForeignCommand::start({"sh", "-c", script}, {{"GIVEN", "word"}});
  return command ? command->wait(kEveryMs, meanwhile) : command.error();
}

TEST(ForeignCommand, EndsAsAShellSaysIt) {
  EXPECT_EQ(run("exit 3")->exit_code, 3);
  EXPECT_EQ(run("test \"$GIVEN\" = word")->exit_code, 0);
  const Result<CommandEnd> killed = run("kill -9 $$");
  ASSERT_TRUE(killed);
  EXPECT_EQ(killed->exit_code, 128 + SIGKILL);
  EXPECT_EQ(killed->signal, SIGKILL);
}

TEST(ForeignCommand, TellsThePeakOfTheCommandAndNotOfThisProgram) {
  std::vector<char> own(size_t{64} << 20, 1);  // what a child's copy of this process has
  EXPECT_EQ(own[own.size() / 2], 1);
  const Result<CommandEnd> small = run("exit 0");
  ASSERT_TRUE(small);
  EXPECT_FALSE(small->peak_memory_bytes);
  const Result<CommandEnd> large = run("head -c 300M /dev/zero | tail -c 300M > /dev/null");  // tail holds it all
  ASSERT_TRUE(large);
  EXPECT_GE(large->peak_memory_bytes.value_or(0), int64_t{300} << 20);
}

TEST(ForeignCommand, IsLookedAfterWhileItRuns) {
  int looks = 0;
  ASSERT_TRUE(run("sleep 0.2", [&] {
    ++looks;
    return Result<void>();
  }));
  EXPECT_GT(looks, 5);
}

TEST(ForeignCommand, GoesOnWhereWhoLooksAfterItFails) {
  const Result<CommandEnd> end =
      run("sleep 0.05; exit 5", [] { return Result<void>(Error{ErrorKind::kResource, "disk full", ""}); });
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().message, "disk full");
}

TEST(ForeignCommand, ThatIsNotThereIsAnError) {
  const Result<ForeignCommand> command = ForeignCommand::start({"/no/such/program"}, {});
  ASSERT_FALSE(command);
  EXPECT_EQ(command.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(command.error().message, HasSubstr("cannot run /no/such/program"));
}

}  // namespace
}  // namespace aaco
