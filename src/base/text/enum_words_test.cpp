// SPDX-License-Identifier: MIT
#include "base/text/enum_words.h"

#include <gtest/gtest.h>

#include "base/json/json.h"

namespace aaco {

enum class Vegetable { kUnknown, kLeek };
template <>
inline constexpr EnumWords<Vegetable, 2> kWordsOf<Vegetable>{{"", "leek"}};

namespace {

enum class Fruit { kUnknown, kApple, kStarFruit };
constexpr EnumWords<Fruit, 3> kFruits{{"", "apple", "star fruit"}};

TEST(EnumWords, EveryWordReadsBack) {
  for (const Fruit fruit : {Fruit::kUnknown, Fruit::kApple, Fruit::kStarFruit}) {
    EXPECT_EQ(kFruits.parse(kFruits.word(fruit)), fruit);
  }
  EXPECT_EQ(kFruits.parse("star"), std::nullopt);
  EXPECT_EQ(kFruits.parse("Apple"), std::nullopt);
}

TEST(EnumWords, AnEnumWithWordsIsItsWordInJson) {
  static_assert(HasWords<Vegetable> && !HasWords<Fruit>);
  EXPECT_STREQ(word_of(Vegetable::kLeek), "leek");
  EXPECT_EQ(parse_word<Vegetable>("pea"), std::nullopt);
  EXPECT_EQ(Json(Vegetable::kLeek).dump(), "\"leek\"");
  EXPECT_EQ(Json("leek").get<Vegetable>(), Vegetable::kLeek);
  EXPECT_EQ(Json("pea").get<Vegetable>(), Vegetable::kUnknown);
  EXPECT_THROW(Json(1).get<Vegetable>(), nlohmann::json::exception) << "a number is no word";
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
