// SPDX-License-Identifier: MIT
#include "model/inputs/dimension_expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aaco {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::optional<int64_t> evaluated(const std::string& text) {
  return evaluate_expression(text, [](const std::string& name) -> std::optional<int64_t> {
    return name == "past" ? std::optional<int64_t>(7) : name == "sequence" ? std::optional<int64_t>(3) : std::nullopt;
  });
}

TEST(DimensionExpression, IsComputedAsWritten) {
  EXPECT_EQ(evaluated("past + sequence"), 10);
  EXPECT_EQ(evaluated("past+sequence"), 10);
  EXPECT_EQ(evaluated("2*past - sequence"), 11);
  EXPECT_EQ(evaluated("2*(past - sequence)"), 8);
  EXPECT_EQ(evaluated("past//2 + 1"), 4);
  EXPECT_EQ(evaluated("floor(past/2 + 1/2)"), 4);
  EXPECT_EQ(evaluated("ceil(past/2)"), 4);
  EXPECT_EQ(evaluated("Max(1, past, sequence)"), 7);
  EXPECT_EQ(evaluated("min(past, sequence) % 2"), 1);
}

TEST(DimensionExpression, HasNoValueWhereSomethingIsNotKnown) {
  EXPECT_EQ(evaluated("past + other"), std::nullopt);
  EXPECT_EQ(evaluated("max(past, other)"), std::nullopt);
  EXPECT_EQ(evaluated("past / 0"), std::nullopt);
  EXPECT_EQ(evaluated("sequence - past"), std::nullopt);  // negative
  EXPECT_EQ(evaluated("past +"), std::nullopt);
  EXPECT_EQ(evaluated(std::string(1000, '(')), std::nullopt);
}

TEST(DimensionExpression, NamesWhatItComputesWith) {
  EXPECT_THAT(names_in_expression("past + sequence", {}), ElementsAre("past", "sequence"));
  EXPECT_THAT(names_in_expression("2*frames", {}), ElementsAre("frames"));
  EXPECT_THAT(names_in_expression("sequence", {}), IsEmpty());
  EXPECT_THAT(names_in_expression("unk__12", {}), IsEmpty());
  EXPECT_THAT(names_in_expression("p2o.DynamicDimension.0", {}), IsEmpty());
  EXPECT_THAT(names_in_expression("batch size", {}), IsEmpty());
  EXPECT_THAT(names_in_expression("sequence-length", {}), IsEmpty());
  EXPECT_THAT(names_in_expression("a-b", {"a", "b"}), ElementsAre("a", "b"));
  EXPECT_THAT(names_in_expression("a - b", {}), ElementsAre("a", "b"));
}

}  // namespace
}  // namespace aaco
