// SPDX-License-Identifier: MIT
#include "base/json.h"

#include <gtest/gtest.h>

namespace aaco {
namespace {

TEST(Json, KeepsTheOrderOfKeys) {
  const auto value = parse_json(R"({"b": 1, "a": [true, null]})", "x");
  ASSERT_TRUE(value);
  EXPECT_EQ(value->dump(), R"({"b":1,"a":[true,null]})");
}

TEST(Json, SaysWhereTheTextIsNotJson) {
  const auto value = parse_json(R"({"a": 1,})", "run.json");
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().kind, ErrorKind::kUsage);
  EXPECT_EQ(value.error().message, "run.json: not valid JSON at byte 9");
}

// 1e400 is well-formed JSON and larger than any double (1.8e308).
TEST(Json, RefusesANumberOutOfRange) {
  const auto value = parse_json("[1e400]", "run.json");
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().kind, ErrorKind::kUsage);
  EXPECT_NE(value.error().message.find("out of range"), std::string::npos);
}

TEST(Json, RefusesDeepNesting) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  const auto value = parse_json(deep, "run.json");
  ASSERT_FALSE(value);
  EXPECT_NE(value.error().message.find("nested deeper"), std::string::npos);
}

TEST(Json, AnAbsentOptionalIsNull) {
  const std::optional<double> none;
  EXPECT_EQ(Json(none).dump(), "null");
  EXPECT_EQ(Json(1.5).get<std::optional<double>>(), 1.5);
  EXPECT_EQ(Json(nullptr).get<std::optional<double>>(), std::nullopt);
}

}  // namespace
}  // namespace aaco
