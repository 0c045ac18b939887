// SPDX-License-Identifier: MIT
#include "report/comparison/comparison_headline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json/json.h"

namespace aaco::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

Json verdict(const char* name, double ratio, double low, double high) {
  return {{"verdict", name},
          {"ratio", ratio},
          {"interval", {low, high}},
          {"method", "sequential"},
          {"sessions", {{"baseline", "base"}, {"test", "now"}}}};
}

PairComparison pair(const char* name, Verdict verdict, double ratio) {
  PairComparison pair;
  pair.configuration = name;
  pair.comparison.verdict = verdict;
  pair.comparison.ratio = ratio;
  pair.comparison.interval = Interval{ratio - 0.01, ratio + 0.01};
  return pair;
}

TEST(DiffHeadline, OfARegressionHasWhatMadeItSlowerAndTheLargestNode) {
  Json slower = verdict("regressed", 1.1, 1.05, 1.15);
  slower["suspected_cause"] = "memory-bound";
  slower["cause_reason"] = "nodes are limited by memory";
  slower["terms"] = {{"count_ns", -100.0}, {"time_ns", 900.0}, {"gap_ns", 300.0}, {"unexplained_ns", 0.0}};
  const Json nodes =
      Json::parse(R"([{"name": "small", "count_ns": 0, "time_ns": 50}, {"name": "faster", "time_ns": -800},
                                     {"name": "large", "count_ns": 100, "time_ns": 700}])");
  const Headline headline = diff_headline(slower, &nodes);
  EXPECT_EQ(headline.figure, "slower: latency +10 % [+5 %, +15 %]");
  ASSERT_EQ(headline.budget.parts.size(), 2U);  // fewer executions went against it
  EXPECT_EQ(headline.budget.parts[0].name, "slower executions");
  EXPECT_EQ(headline.budget.parts[0].ns, 900);
  EXPECT_EQ(headline.budget.parts[1].ns, 300);
  EXPECT_THAT(headline.findings, ElementsAre("suspected cause: memory-bound (nodes are limited by memory)",
                                             "largest part: large, +800.0 ns per inference"));
  EXPECT_EQ(headline.quality, "complete");
}

TEST(DiffHeadline, OfNoiseHasTheOneCommandThatSettlesIt) {
  Json noise = verdict("inconclusive", 1.0, 0.5, 2.0);
  noise["processes_needed"] = 866;
  noise["warnings"] = {"process 0 is odd"};
  const Headline headline = diff_headline(noise, nullptr);
  EXPECT_THAT(headline.figure, StartsWith("too noisy to tell: latency"));
  EXPECT_THAT(headline.findings,
              ElementsAre("to settle it: aaco diff base now --rerun (or about 866 processes a side)"));
  EXPECT_THAT(headline.budget.parts, IsEmpty());
  EXPECT_EQ(headline.quality, "process 0 is odd");
}

TEST(DiffHeadline, OfWhatCannotBeComparedHasTheReason) {
  Json invalid{{"verdict", "invalid"}, {"reason", "the machine was busy"}, {"recommendation", "Measure again."}};
  const Headline headline = diff_headline(invalid, nullptr);
  EXPECT_EQ(headline.figure, "not comparable");
  EXPECT_THAT(headline.findings, ElementsAre("the machine was busy", "Measure again."));
}

// The tails decided: the median alone would say that nothing happened.
TEST(DiffHeadline, NamesTheFigureThatDecided) {
  Json slower = verdict("regressed", 1.0, 0.99, 1.01);
  slower["decided_by"] = {"p99 latency"};
  EXPECT_THAT(diff_headline(slower, nullptr).figure, StartsWith("slower in p99 latency; median latency"));
}

TEST(PairsHeadline, CountsTheVerdictsAndTellsTheWorstAndWhatIsOpen) {
  PairComparisons pairs;
  pairs.pairs = {pair("a", Verdict::kRegressed, 1.1), pair("b", Verdict::kRegressed, 1.3),
                 pair("c", Verdict::kInconclusive, 1.0), pair("d", Verdict::kImproved, 0.5)};
  pairs.pairs[2].comparison.processes_needed = 12;
  const Headline headline = pairs_headline(pairs, "step");
  EXPECT_EQ(headline.figure, "step of 4 configurations: 2 slower, 1 faster, 1 too noisy to tell");
  EXPECT_THAT(headline.findings, ElementsAre("b: slower, +30 % [+29 %, +31 %]",
                                             "to settle it: run both sides again with --processes 12 (c)"));
}

TEST(PairsHeadline, SaysThatNothingWasPaired) {
  PairComparisons pairs;
  pairs.unpaired = {"a"};
  const Headline headline = pairs_headline(pairs, "step");
  EXPECT_THAT(headline.figure, HasSubstr("Nothing could be compared"));
  EXPECT_EQ(headline.quality, "1 configuration on one side only");
}

}  // namespace
}  // namespace aaco::report
