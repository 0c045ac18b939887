// SPDX-License-Identifier: MIT
#include "base/text/characters.h"

#include <gtest/gtest.h>

namespace aaco {
namespace {

TEST(Characters, PrintableIsOneLineThatSteersNothing) {
  EXPECT_EQ(printable("caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"), "caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80");
  EXPECT_EQ(printable("a\n\t\r\x1b[31m\x7f"), "a    [31m ");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a b");
  const std::string bad(kReplacement);
  EXPECT_EQ(printable("a\xC2\x9B"
                      "31m"),
            "a" + bad + "31m")
      << "CSI as one character";
  EXPECT_EQ(printable("\xE2\x80\xAE"), bad) << "direction override";
  EXPECT_EQ(printable("\xff"), bad + "ff");
  EXPECT_NE(printable("k\xff"), printable("k\xfe")) << "two names stay two";
}

TEST(Characters, UnsteeringIsDataThatSteersNothing) {
  EXPECT_EQ(unsteering("caf\xC3\xA9\t\r\n-3.5"), "caf\xC3\xA9\t\r\n-3.5");
  EXPECT_EQ(unsteering("a\x1b[31m\x7f\rb"), "a\uFFFD1b[31m\uFFFD7f\uFFFD0db");
  EXPECT_EQ(unsteering("\xC2\x9B"), "\uFFFDc2\uFFFD9b") << "CSI as one character";
  EXPECT_EQ(unsteering("\xE2\x80\xAE\xff"), "\uFFFDe2\uFFFD80\uFFFDae\uFFFDff");
  EXPECT_EQ(unsteering(std::string_view("a\0", 2)), "a\uFFFD00");
}

TEST(Characters, IsCutByCharacters) {
  EXPECT_EQ(length_of("na\xC3\xAFve"), 5U);
  EXPECT_EQ(shorten("na\xC3\xAFve name", 5), "na\xC3\xAFv…");
  EXPECT_EQ(shorten("na\xC3\xAFve", 5), "na\xC3\xAFve");
}

}  // namespace
}  // namespace aaco
