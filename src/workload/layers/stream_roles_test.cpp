// SPDX-License-Identifier: MIT
#include "workload/layers/stream_roles.h"

#include <gtest/gtest.h>

namespace aaco {

namespace {

TEST(StreamRolesTest, FewStreamsAreShared) {
  const StreamRoles stream_roles(1, {4, 2, 3});
  EXPECT_EQ(stream_roles.used(), 1);
  EXPECT_EQ(stream_roles.at(0, 3), 0);
  EXPECT_EQ(stream_roles.at(2, 1), 0);
  const StreamRoles two(2, {4, 2, 3});
  EXPECT_EQ(two.used(), 2);
  EXPECT_EQ(two.at(0, 3), 0);
  EXPECT_EQ(two.at(1, 0), 1);
  EXPECT_EQ(two.at(2, 0), 0);
}

// In turn: 7 streams for 4 + 1 + 3 are 3, 1, 3; 8 and more are 4, 1, 3.
TEST(StreamRolesTest, MoreAreGivenInTurn) {
  const StreamRoles seven(7, {4, 1, 3});
  EXPECT_EQ(seven.used(), 7);
  EXPECT_EQ(seven.count(0), 3);
  EXPECT_EQ(seven.count(1), 1);
  EXPECT_EQ(seven.count(2), 3);
  EXPECT_EQ(seven.at(0, 0), 0);
  EXPECT_EQ(seven.at(0, 3), 0);
  EXPECT_EQ(seven.at(1, 5), 3);
  EXPECT_EQ(seven.at(2, 2), 6);
  EXPECT_EQ(StreamRoles(100, {4, 1, 3}).used(), 8);
}

}  // namespace

}  // namespace aaco
