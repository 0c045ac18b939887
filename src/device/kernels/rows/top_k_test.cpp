// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/kernels/test_values.h"
#include "device/ops/op_work.h"

namespace aaco {
namespace {

using ::testing::ElementsAre;

std::vector<int32_t> top_k(const std::vector<float>& in, int64_t rows, int64_t k) {
  std::vector<int32_t> indices(static_cast<size_t>(rows * k), -9);
  run_on_cpu(TopKArgs{.in = in.data(),
                      .indices = indices.data(),
                      .rows = rows,
                      .cols = static_cast<int64_t>(in.size()) / rows,
                      .k = k});
  return indices;
}

TEST(TopK, RanksDescendingAndEqualsByIndex) {
  EXPECT_THAT(top_k({3, 9, 1, 9, 5}, 1, 3), ElementsAre(1, 3, 4));
  EXPECT_THAT(top_k({1, 2, 4, 3}, 2, 1), ElementsAre(1, 0));
  EXPECT_THAT(top_k({0.0F, -0.0F, 0.0F}, 1, 3), ElementsAre(0, 1, 2));  // zeros are equal
}

TEST(TopK, TakesNanForTheLargest) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_THAT(top_k({infinity, nan, -infinity, -nan}, 1, 4), ElementsAre(1, 3, 0, 2));
}

TEST(TopK, GivesValuesOfItsTypeAndFillsWhatTheRowLacks) {
  TypedArray in(Dtype::kBf16, {1.5F, -2});
  TypedArray values = poisoned(Dtype::kBf16, 3);
  std::vector<int32_t> indices(3);
  run_on_cpu(TopKArgs{.in = in.data(),
                      .values = values.data(),
                      .indices = indices.data(),
                      .rows = 1,
                      .cols = 2,
                      .k = 3,
                      .dtype = Dtype::kBf16});
  EXPECT_THAT(values.values(), ElementsAre(1.5F, -2, -std::numeric_limits<float>::infinity()));
  EXPECT_THAT(indices, ElementsAre(0, 1, -1));
}

}  // namespace
}  // namespace aaco
