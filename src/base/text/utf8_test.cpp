// SPDX-License-Identifier: MIT
#include "base/text/utf8.h"

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
  EXPECT_EQ(as_utf8("a\xE2\x80z\xFF"), "a\uFFFDe2\uFFFD80z\uFFFDff");
  EXPECT_NE(as_utf8("k\xFF"), as_utf8("k\xFE")) << "two names stay two";
  EXPECT_EQ(as_utf8("k\uFFFDff"), "k\uFFFDff") << "what is UTF-8 stays";
  EXPECT_EQ(utf8_character(""), 0);
}

// Any two bytes, and what could be taken for an escape: back to the same bytes; UTF-8 stays as it is.
TEST(Utf8, BytesSurviveAsUtf8) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string pair{static_cast<char>(first), static_cast<char>(second)};
      for (const std::string& bytes : {pair, "\uFFFD" + pair, pair + "\uFFFD" + pair, "/a" + pair + "ff"}) {
        const std::string text = utf8_of_bytes(bytes);
        ASSERT_TRUE(is_utf8(text)) << first << " " << second;
        ASSERT_EQ(bytes_of_utf8(text), bytes) << first << " " << second;
      }
    }
  }
  EXPECT_EQ(utf8_of_bytes("s\xFFx/\xC3"), "s\uFFFDffx/\uFFFDc3");
  for (const std::string same : {"/tmp/\u00E9", "\uFFFD", "\uFFFDx", "\uFFFD7f", "\uFFFDFF", "\uFFFDf"}) {
    EXPECT_EQ(utf8_of_bytes(same), same);
    EXPECT_EQ(bytes_of_utf8(same), same);
  }
  EXPECT_EQ(utf8_of_bytes("\uFFFDff"), "\uFFFDef\uFFFDbf\uFFFDbdff");
}

}  // namespace
}  // namespace aaco
