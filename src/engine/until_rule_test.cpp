// SPDX-License-Identifier: MIT
#include "engine/until_rule.h"

#include <gtest/gtest.h>

#include "base/json/json.h"

namespace aaco {
namespace {

// Medians 10.0 to 10.4: the interval is 10.199 exp(-0.01925) to 10.199 exp(0.01925) about 10.2 (statistics.md), so
// 10.3972 / 10.2 - 1 = 1.934 % at most.
const std::vector<double> kFigures = {10.0, 10.1, 10.2, 10.3, 10.4};

UntilRule rule_after(const std::vector<double>& figures, UntilRequest request, int64_t fewest = 5) {
  UntilRule rule(request, fewest);
  double elapsed_s = 0;
  for (const double figure : figures) {
    elapsed_s += 3;
    rule.add(figure, elapsed_s);
  }
  return rule;
}

TEST(UntilRule, EndsWhereTheIntervalIsNarrowEnough) {
  const UntilRule narrow = rule_after(kFigures, {0.02, 300});
  EXPECT_TRUE(narrow.is_over());
  EXPECT_TRUE(narrow.facts().reached);
  EXPECT_NEAR(*narrow.facts().reach, 0.01934, 1e-4);
  EXPECT_EQ(until_text(narrow.facts()), "interval within 2 %: reached after 5 processes");
  const UntilRule wide = rule_after(kFigures, {0.01, 300});
  EXPECT_FALSE(wide.is_over());
  EXPECT_FALSE(wide.facts().reached);
}

TEST(UntilRule, OfTooFewProcessesNoIntervalIsBelieved) {
  const UntilRule equal = rule_after({10, 10, 10, 10}, {0.02, 300});
  EXPECT_FALSE(equal.is_over());
  EXPECT_TRUE(rule_after({10, 10, 10, 10, 10}, {0.02, 300}).is_over());
}

// Of processes of 3 s each: the next would end at 18 s.
TEST(UntilRule, ATimeThatIsOverIsSaid) {
  EXPECT_FALSE(rule_after(kFigures, {0.01, 18}).is_over());
  const UntilRule late = rule_after(kFigures, {0.01, 17});
  EXPECT_TRUE(late.is_over());
  EXPECT_FALSE(late.facts().reached);
  EXPECT_EQ(until_text(late.facts()), "interval within 1 %: not reached in 17 s: it reaches 1.93 % after 5 processes");
  EXPECT_EQ(until_text(rule_after({10}, {0.01, 1}).facts()),
            "interval within 1 %: not reached in 1 s: there is none after 1 process");
}

TEST(UntilRule, ProcessesWithoutAFigureCountAsProcessesAlone) {
  UntilRule rule({0.02, 300}, 3);
  for (int i = 1; i <= 3; ++i) {
    rule.add(std::nullopt, i);
  }
  EXPECT_EQ(rule.processes(), 3);
  EXPECT_FALSE(rule.facts().reached);
  EXPECT_FALSE(rule.facts().reach);
}

// ln medians have a standard deviation of 0.0155: (1.96 * 0.0155 / ln 1.001)^2 + 2 = 925 processes.
TEST(UntilRule, ProgressIsOfTheProcessesNeededOrOfTheTime) {
  EXPECT_NEAR(rule_after(kFigures, {0.001, 1e6}).progress(), 5 / 925.4, 1e-4);
  EXPECT_DOUBLE_EQ(rule_after(kFigures, {0.001, 30}).progress(), 0.5);
}

TEST(UntilFacts, AreReadAsTheyWereWritten) {
  const UntilFacts facts{.target = 0.02, .limit_s = 60, .processes = 7, .reach = 0.03, .reached = false};
  const auto read = Json(facts).get<UntilFacts>();
  EXPECT_EQ(until_text(read), until_text(facts));
  EXPECT_EQ(Json(read), Json(facts));
}

}  // namespace
}  // namespace aaco
