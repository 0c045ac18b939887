// SPDX-License-Identifier: MIT
#include "base/text/shell_words.h"

#include <gtest/gtest.h>

namespace aaco {
namespace {

TEST(ShellCommand, QuotesWhatAShellWouldReadOtherwise) {
  EXPECT_EQ(shell_command({"aaco", "run", "--shape", "x=1x3"}), "aaco run --shape x=1x3");
  EXPECT_EQ(shell_command({"a b", "", "it's", "$x"}), "'a b' '' 'it'\\''s' '$x'");
  EXPECT_EQ(shell_command({"\xFFx"}), "$'\\377x'");
  EXPECT_EQ(shell_command({}), "");
}

}  // namespace
}  // namespace aaco
