// SPDX-License-Identifier: MIT
#include "ingest/table/number_style.h"

#include <gtest/gtest.h>
#include <initializer_list>

namespace aaco {
namespace {

using Shape = NumberStyle::Shape;

TEST(NumberStyle, TellsWhatOnlyOneStyleAllows) {
  for (const char* text : {"12.5", "-1,234.50", "1,234,567", "1234.567", "0.123", "12.3456"}) {
    EXPECT_EQ(NumberStyle::shape_of(text), Shape::kDecimalPoint) << text;
  }
  for (const char* text : {"12,5", "-1.234,50", "1.234.567", "1234,567", "0,123", "12,3456"}) {
    EXPECT_EQ(NumberStyle::shape_of(text), Shape::kDecimalComma) << text;
  }
  for (const char* text : {"1,234", "1.234", "-999.999", "12,345"}) {
    EXPECT_EQ(NumberStyle::shape_of(text), Shape::kEither) << text;
  }
  for (const char* text : {"", "12", "-", "1,2,3", "(64, 1, 1)", "12,", ",5", "1.2.3", "8.0.1", "a,b", "1,23.4"}) {
    EXPECT_EQ(NumberStyle::shape_of(text), Shape::kPlain) << text;
  }
}

NumberStyle that_saw(std::initializer_list<const char*> texts) {
  NumberStyle style;
  for (const char* text : texts) {
    style.see(text);
  }
  return style;
}

TEST(NumberStyle, ReadsInTheStyleThatItSaw) {
  const NumberStyle comma = that_saw({"7", "3,456", "12,50"});
  EXPECT_EQ(comma.plain("3,456"), "3.456");
  EXPECT_EQ(comma.plain("1.234"), "1234");
  EXPECT_EQ(comma.plain("1.234,50"), "1234.50");
  EXPECT_EQ(comma.plain("12.50"), std::nullopt);
  const NumberStyle point = that_saw({"3,456", "12.50"});
  EXPECT_EQ(point.plain("3,456"), "3456");
  EXPECT_EQ(point.plain("1.234"), "1.234");
  EXPECT_EQ(point.plain("12,50"), std::nullopt);
  EXPECT_EQ(point.plain("text, 1"), "text, 1");
}

TEST(NumberStyle, WithoutASignACommaIsRefusedAndAPointIsOne) {
  const NumberStyle unknown = that_saw({"3,456", "1.234", "7"});
  EXPECT_FALSE(unknown.is_known());
  EXPECT_EQ(unknown.plain("3,456"), std::nullopt);
  EXPECT_EQ(unknown.plain("1.234"), "1.234");
  EXPECT_EQ(unknown.plain("7"), "7");
}

}  // namespace
}  // namespace aaco
