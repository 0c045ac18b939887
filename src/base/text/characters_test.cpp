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
            "a" + bad + bad + "31m")
      << "CSI as one character";
  EXPECT_EQ(printable("\xE2\x80\xAE"), bad + bad + bad) << "direction override";
  EXPECT_EQ(printable("\xff"), bad);
}

TEST(Characters, IsCutByCharacters) {
  EXPECT_EQ(length_of("na\xC3\xAFve"), 5U);
  EXPECT_EQ(shorten("na\xC3\xAFve name", 5), "na\xC3\xAFv…");
  EXPECT_EQ(shorten("na\xC3\xAFve", 5), "na\xC3\xAFve");
}

}  // namespace
}  // namespace aaco
