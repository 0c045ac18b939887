// SPDX-License-Identifier: MIT
#include "analysis/timeline/lookup/row_groups.h"

#include <gtest/gtest.h>
#include <vector>

namespace aaco {
namespace {

std::vector<uint32_t> rows(std::span<const uint32_t> group) { return {group.begin(), group.end()}; }

TEST(RowGroups, OneBehindTheOtherAndEachAscending) {
  const std::vector<uint32_t> group{2, 0, RowGroups::kNone, 2, 0, 2};
  const RowGroups groups(group.size(), 4, [&](size_t i) { return group[i]; });
  EXPECT_EQ(rows(groups.group(0)), (std::vector<uint32_t>{1, 4}));
  EXPECT_TRUE(groups.group(1).empty());
  EXPECT_EQ(rows(groups.group(2)), (std::vector<uint32_t>{0, 3, 5}));
  EXPECT_TRUE(groups.group(3).empty());
  EXPECT_EQ(rows(groups.all()), (std::vector<uint32_t>{1, 4, 0, 3, 5}));
}

TEST(RowGroups, AreSortedEachByItself) {
  const std::vector<int> value{5, 4, 3, 2, 1, 0};
  RowGroups groups(value.size(), 2, [](size_t i) { return static_cast<uint32_t>(i % 2); });
  groups.sort([&](uint32_t a, uint32_t b) { return value[a] < value[b]; });
  EXPECT_EQ(rows(groups.group(0)), (std::vector<uint32_t>{4, 2, 0}));
  EXPECT_EQ(rows(groups.group(1)), (std::vector<uint32_t>{5, 3, 1}));
}

TEST(RowGroups, OfNothing) {
  RowGroups groups(0, 0, [](size_t) { return 0U; });
  groups.sort([](uint32_t a, uint32_t b) { return a < b; });
  EXPECT_EQ(groups.groups(), 0U);
  EXPECT_TRUE(groups.all().empty());
}

}  // namespace
}  // namespace aaco
