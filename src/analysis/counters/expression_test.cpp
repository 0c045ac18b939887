// SPDX-License-Identifier: MIT
#include "analysis/counters/expression.h"

#include <cmath>
#include <gtest/gtest.h>

namespace aaco {
namespace {

double value_of(std::string_view text, std::span<const double> values = {}) {
  const auto expression = Expression::parse(text);
  EXPECT_TRUE(expression.has_value()) << text;
  return expression ? expression->value(values) : NAN;
}

TEST(Expression, ProductsBeforeSumsFromTheLeft) {
  EXPECT_EQ(value_of("2 + 3 * 4"), 14);
  EXPECT_EQ(value_of("(2 + 3) * 4"), 20);
  EXPECT_EQ(value_of("20 - 3 - 2"), 15);
  EXPECT_EQ(value_of("64 / 4 / 2"), 8);
  EXPECT_EQ(value_of("0.5 * 1e3"), 500);
}

TEST(Expression, Functions) {
  EXPECT_EQ(value_of("min(3, max(1, 2))"), 2);
  EXPECT_EQ(value_of("floor(7 / 2) + ceil(7 / 2)"), 7);
}

TEST(Expression, NamesOnceInTheOrderOfTheirFirstUse) {
  const auto expression = Expression::parse("b + $a * b - {L1/TEX Hit Rate} + x.sum.per_second");
  ASSERT_TRUE(expression.has_value());
  const std::vector<std::string> names(expression->names().begin(), expression->names().end());
  EXPECT_EQ(names, (std::vector<std::string>{"b", "$a", "L1/TEX Hit Rate", "x.sum.per_second"}));
  const double values[] = {2, 10, 5, 100};
  EXPECT_EQ(expression->value(values), 2 + 20 - 5 + 100);
}

TEST(Expression, DivisionByZeroIsNotFinite) {
  EXPECT_FALSE(std::isfinite(value_of("0 / 0")));
  EXPECT_FALSE(std::isfinite(value_of("1 / (2 - 2)")));
}

TEST(Expression, WhatIsNoFormula) {
  for (const char* text :
       {"", "1 +", "(1", "1)", "a b", "{a", "{}", "sqrt(1)", "min(1)", "max(1, 2, 3)", "* 2", "1 # 2"}) {
    EXPECT_FALSE(Expression::parse(text).has_value()) << text;
  }
  EXPECT_FALSE(Expression::parse(std::string(10'000, '(')).has_value());
}

}  // namespace
}  // namespace aaco
