// SPDX-License-Identifier: MIT
#include "report/plot/point_labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aaco::plot {
namespace {

using testing::HasSubstr;
using testing::Not;

// 400 by 100 pixels for 0 to 400 and 0 to 100, upwards.
Frame frame() {
  return {.x = {0, 400, false, 0, 400}, .y = {0, 100, false, 100, 0}, .left = 0, .right = 400, .top = 0, .bottom = 100};
}

Series points(std::vector<double> x, std::vector<double> y, std::vector<std::string> names) {
  return {.mark = Mark::kPoints, .x = std::move(x), .y = std::move(y), .values = std::move(names)};
}

TEST(PointLabels, StandToTheRightWhereThereIsRoom) {
  EXPECT_THAT(draw_point_labels({points({100}, {50}, {"first"})}, frame()), HasSubstr("x=\"107\""));
}

// "second" is 6 characters of 6.3 px: it ends 7 px left of its point, at 393 - 37.8.
TEST(PointLabels, StandToTheLeftAtTheEdge) {
  EXPECT_THAT(draw_point_labels({points({395}, {50}, {"second"})}, frame()), HasSubstr("x=\"350.2\""));
}

TEST(PointLabels, LieOverNoOtherOfAnySeries) {
  const std::string text =
      draw_point_labels({points({100}, {50}, {"first"}),
                         points({101, 102, 103, 104, 105}, {50, 50, 50, 50, 50}, {"b", "c", "d", "e", "f"})},
                        frame());
  EXPECT_THAT(text, HasSubstr(">first<"));
  EXPECT_THAT(text, Not(HasSubstr(">f<")));
}

TEST(PointLabels, AreNoneWithoutNames) { EXPECT_EQ(draw_point_labels({points({100}, {50}, {})}, frame()), ""); }

}  // namespace
}  // namespace aaco::plot
