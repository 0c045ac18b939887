// SPDX-License-Identifier: MIT
#include "workload/command_ranges.h"

#include <gtest/gtest.h>

namespace aaco {
namespace {

TEST(RangeWalker, OpensAndClosesWhatChanges) {
  std::string heard;
  const ProfilerRanges ranges(
      {{"test", [&](const char* name) { heard += std::string("(") + name; }, [&] { heard.push_back(')'); }}});
  CommandRanges commands;
  commands.add("forward", "");
  commands.add("forward", "layer 0");
  commands.add("forward", "layer 0");
  commands.add("forward", "layer 1");
  commands.add("backward", "layer 1");
  commands.add("backward", "");
  commands.add("", "");
  commands.add("optimizer", "");
  RangeWalker walker(commands, ranges);
  for (size_t command = 0; command < commands.commands(); ++command) {
    walker.at(command);
  }
  walker.end();
  EXPECT_EQ(heard, "(forward(layer 0)(layer 1))(backward(layer 1))(optimizer)");
  walker.end();
  EXPECT_TRUE(heard.ends_with("(optimizer)")) << "nothing is open any more";
}

TEST(ScopedRange, CallsNobodyWhereNobodyListens) {
  const ProfilerRanges none;
  EXPECT_FALSE(none.listening());
  const ScopedRange range(none, "step");
  EXPECT_FALSE(ProfilerRanges::of_process().listening()) << "no tool is in this process";
}

}  // namespace
}  // namespace aaco
