// SPDX-License-Identifier: MIT
#include "base/utf8.h"

#include <gtest/gtest.h>

namespace aaco {
namespace {

// Every byte that is not part of a character is one U+FFFD; controls and reversals are characters like any other.
TEST(Utf8, BadBytesAreReplacedOneByOne) {
  EXPECT_TRUE(is_utf8("\x01 \xC3\xA9 \xE2\x80\xAE \xF0\x9F\x9A\x80"));
  EXPECT_TRUE(is_utf8(""));
  for (const char* bad : {"\xFF", "\xC0\xAF", "\xE2\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\x80"}) {
    EXPECT_FALSE(is_utf8(bad));
  }
  EXPECT_EQ(as_utf8("a\xE2\x80z\xFF"), "a\uFFFD\uFFFDz\uFFFD");
  EXPECT_EQ(utf8_character(""), 0);
}

}  // namespace
}  // namespace aaco
