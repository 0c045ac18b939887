// SPDX-License-Identifier: MIT
#include "base/growing_array.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <numeric>

namespace aaco {
namespace {

TEST(GrowingArray, KeepsWhatWasAppendedAcrossGrowth) {
  GrowingArray<int64_t> values;
  constexpr int64_t kCount = 1'000'000;
  for (int64_t i = 0; i < kCount; ++i) {
    values.push_back(i);
  }
  EXPECT_EQ(values.size(), kCount);
  EXPECT_EQ(values.back(), kCount - 1);
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), int64_t{0}), kCount * (kCount - 1) / 2);
}

TEST(GrowingArray, AppendsAValueOfItsOwn) {
  GrowingArray<int64_t> values;
  values.push_back(7);
  while (values.size() < 1000) {
    values.push_back(values[0]);  // at each growth the reference would dangle
  }
  EXPECT_EQ(values.back(), 7);
}

TEST(GrowingArray, MovesLeaveAnEmptyOne) {
  GrowingArray<int> first;
  first.push_back(1);
  GrowingArray<int> second(std::move(first));
  EXPECT_EQ(second.view().size(), 1);
  GrowingArray<int> third;
  third = std::move(second);
  EXPECT_EQ(third[0], 1);
}

TEST(GrowingArray, RefusesWhatNoMemoryHolds) {
  GrowingArray<int64_t> values;
  EXPECT_THROW(values.reserve(SIZE_MAX / 4), std::bad_alloc);
  EXPECT_TRUE(values.empty());
}

}  // namespace
}  // namespace aaco
