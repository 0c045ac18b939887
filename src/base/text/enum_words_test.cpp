// SPDX-License-Identifier: MIT
#include "base/text/enum_words.h"

#include <gtest/gtest.h>

namespace aaco {
namespace {

enum class Fruit { kUnknown, kApple, kStarFruit };
constexpr EnumWords<Fruit, 3> kFruits{{"", "apple", "star fruit"}};

TEST(EnumWords, EveryWordReadsBack) {
  for (const Fruit fruit : {Fruit::kUnknown, Fruit::kApple, Fruit::kStarFruit}) {
    EXPECT_EQ(kFruits.parse(kFruits.of(fruit)), fruit);
  }
  EXPECT_EQ(kFruits.parse("star"), std::nullopt);
  EXPECT_EQ(kFruits.parse("Apple"), std::nullopt);
}

TEST(EnumWords, ANoteStandsBehindTheWord) {
  EXPECT_EQ(kFruits.noted(Fruit::kStarFruit, "ripe: soft"), "star fruit: ripe: soft");
  EXPECT_EQ(kFruits.noted(Fruit::kApple, ""), "apple");
  EXPECT_EQ(kFruits.parse_noted("star fruit: ripe: soft"),
            (std::pair<Fruit, std::string>(Fruit::kStarFruit, "ripe: soft")));
  EXPECT_EQ(kFruits.parse_noted("apple"), (std::pair<Fruit, std::string>(Fruit::kApple, "")));
}

TEST(EnumWords, ATextWithoutAWordIsKept) {
  for (const char* text : {"", "pear", "pear: ripe", ": ripe", "apple:ripe"}) {
    const auto [fruit, note] = kFruits.parse_noted(text);
    EXPECT_EQ(fruit, Fruit::kUnknown) << text;
    EXPECT_EQ(kFruits.noted(fruit, note), text);
  }
}

}  // namespace
}  // namespace aaco
