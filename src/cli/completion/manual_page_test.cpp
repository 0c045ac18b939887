// SPDX-License-Identifier: MIT
#include "cli/completion/manual_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aaco::completion {

namespace {

using testing::HasSubstr;

TEST(ManualPage, HasEachCommandWithItsFlagsAndNoTextThatRoffTakesForARequest) {
  const std::vector<Command> tree{
      {.path = "", .name = "aaco", .what = "What the program does", .flags = {}, .subcommands = {}, .argument = {}},
      {.path = "baseline save",
       .name = "save",
       .what = ".hidden and C:\\x",
       .flags = {{{"--format", "-f"}, "Text or JSON", Values{.words = {"text", "json"}}},
                 {{"--quiet"}, "Say less", {}}},
       .subcommands = {},
       .argument = {}}};
  const std::string page = manual_page(tree, "1.2.3");
  EXPECT_THAT(page, HasSubstr(".TH AACO 1 \"\" \"aaco 1.2.3\" \"User Commands\"\n"));
  EXPECT_THAT(page, HasSubstr(".SS \"aaco baseline save\"\n\\&.hidden and C:\\ex\n"));
  EXPECT_THAT(page, HasSubstr(".TP\n\\fB\\-\\-format\\fR, \\fB\\-f\\fR \\fItext|json\\fR\nText or JSON\n"));
  EXPECT_THAT(page, HasSubstr(".TP\n\\fB\\-\\-quiet\\fR\nSay less\n"));
}

}  // namespace

}  // namespace aaco::completion
