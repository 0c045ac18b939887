// SPDX-License-Identifier: MIT
#include "base/text/visible.h"

#include <gtest/gtest.h>

namespace aaco {
namespace {

TEST(Visible, CharactersThatLeaveNoMarkHaveTheirCodePoint) {
  for (const char* text : {"nightly", "größe=1", "日本 語", "a\u00A0b", "\u2764\uFE0F", "\U0001F680", ""}) {
    EXPECT_EQ(invisible_character(text), std::nullopt) << text;
  }
  EXPECT_EQ(invisible_character("a\u2028b"), 0x2028U);
  EXPECT_EQ(invisible_character("\u3164"), 0x3164U);
  EXPECT_EQ(invisible_character("a\u200Db\u2029"), 0x200DU);
  EXPECT_EQ(invisible_character("\U000E0041"), 0xE0041U);
  EXPECT_EQ(invisible_character("a\u0085"), 0x85U);
  EXPECT_EQ(without_invisible("a\u2028b\u00E4"), "a\uFFFDb\u00E4");
}

TEST(Visible, SpacesOfAnyWidthAreSeenAtTheEnds) {
  EXPECT_TRUE(has_space_at_end(" a"));
  EXPECT_TRUE(has_space_at_end("a\u205F"));
  EXPECT_TRUE(has_space_at_end("\u3000"));
  EXPECT_FALSE(has_space_at_end("a b"));
  EXPECT_FALSE(has_space_at_end(""));
}

}  // namespace
}  // namespace aaco
