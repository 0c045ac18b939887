// SPDX-License-Identifier: MIT
#include "base/text/words_in_lines.h"

#include <gtest/gtest.h>

namespace aaco {

namespace {

using Lines = std::vector<std::string>;

TEST(WordsInLines, BreaksBetweenWordsAndNowhereElse) {
  EXPECT_EQ(words_in_lines("one two three", 7), (Lines{"one two", "three"}));
  EXPECT_EQ(words_in_lines("one two three", 6), (Lines{"one", "two", "three"}));
  EXPECT_EQ(words_in_lines("a considerable word", 5), (Lines{"a", "considerable", "word"}));
}

TEST(WordsInLines, KeepsLinesOfTheTextApart) {
  EXPECT_EQ(words_in_lines("one\n\ntwo", 20), (Lines{"one", "", "two"}));
  EXPECT_EQ(words_in_lines("", 20), Lines{});
}

TEST(WordsInLines, CountsCharactersAndNotBytes) {
  EXPECT_EQ(words_in_lines("na\xC3\xAFve \xC3\xA9t\xC3\xA9", 9), (Lines{"na\xC3\xAFve \xC3\xA9t\xC3\xA9"}));
}

}  // namespace

}  // namespace aaco
