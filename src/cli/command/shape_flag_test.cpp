// SPDX-License-Identifier: MIT
#include "cli/command/shape_flag.h"

#include <gtest/gtest.h>

namespace aaco {
namespace {

using Shapes = std::map<std::string, std::vector<int64_t>>;

Shapes parsed(const std::vector<std::string>& words) {
  const auto shapes = shapes_of(words);
  EXPECT_TRUE(shapes) << shapes.error().message;
  return shapes ? *shapes : Shapes();
}

TEST(ShapeFlag, TakesAnEqualsSignAColonAndSeveral) {
  EXPECT_EQ(parsed({"x=1x3x48x192"}), (Shapes{{"x", {1, 3, 48, 192}}}));
  EXPECT_EQ(parsed({"x:1x3x48x192"}), parsed({"x=1x3x48x192"}));
  EXPECT_EQ(parsed({"x=7,y:2x8", "z=0x1"}), (Shapes{{"x", {7}}, {"y", {2, 8}}, {"z", {0, 1}}}));
  EXPECT_EQ(parsed({"x=1", "x=2"}), (Shapes{{"x", {2}}}));
}

// As of TensorFlow ("input:0"), and worse.
TEST(ShapeFlag, LeavesTheNameAsItIs) {
  EXPECT_EQ(parsed({"input:0=1x3,input:1:4"}), (Shapes{{"input:0", {1, 3}}, {"input:1", {4}}}));
  EXPECT_EQ(parsed({"a,b=1x3,c=4"}), (Shapes{{"a,b", {1, 3}}, {"c", {4}}}));
  EXPECT_EQ(parsed({"a=b=1x3"}), (Shapes{{"a=b", {1, 3}}}));
}

TEST(ShapeFlag, RefusesWhatIsNoShape) {
  for (const char* word : {"", "x", "x=", "=1x3", "x=1x", "x=x1", "x=1xA", "x=-1x3", "x=1,3", "x=1x3,", "x=1x3,y",
                           "x=99999999999999999999", "x=1 x3", "x=1X3"}) {
    EXPECT_FALSE(is_shape(word)) << word;
    EXPECT_FALSE(shapes_of({word})) << word;
  }
}

}  // namespace
}  // namespace aaco
