// SPDX-License-Identifier: MIT
#include "base/max_or_nan.h"

#include <gtest/gtest.h>
#include <limits>

namespace aaco {
namespace {

TEST(MaxOrNan, IsTheLargerOne) {
  EXPECT_EQ(max_or_nan(1, 2), 2);
  EXPECT_EQ(max_or_nan(2, 1), 2);
  EXPECT_EQ(max_or_nan(-1, -2), -1);
  EXPECT_EQ(max_or_nan(1, std::numeric_limits<double>::infinity()), std::numeric_limits<double>::infinity());
}

TEST(MaxOrNan, KeepsNanFromEitherSide) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(max_or_nan(1, nan)));
  EXPECT_TRUE(std::isnan(max_or_nan(nan, 1)));
  EXPECT_TRUE(std::isnan(max_or_nan(max_or_nan(0, nan), std::numeric_limits<double>::infinity())));
}

}  // namespace
}  // namespace aaco
