// SPDX-License-Identifier: MIT
#include "report/pair_comparison_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/sinks.h"

namespace aaco::report {
namespace {

TEST(PairComparisonReport, SaysEachVerdictItsChangeAndWhatToMindOfIt) {
  PairComparison slower{.configuration = "moe, 8 streams", .comparison = {}, .alone = Verdict::kRegressed};
  slower.comparison.verdict = Verdict::kRegressed;
  slower.comparison.reason = "the interval lies above 5 %";
  slower.comparison.ratio = 1.25;
  slower.comparison.interval = Interval{1.125, 1.5};
  slower.comparison.warnings = {"no drift was measured"};
  PairComparison broken{.configuration = "moe, 16 streams", .comparison = {}, .alone = Verdict::kInvalid};
  broken.comparison.reason = "it has no process";
  const Report report = build_pair_comparison_report(
      {.pairs = {slower, broken}, .unpaired = {"only in the baseline: moe, 32 streams"}, .correction = {}},
      "time per unit");
  EXPECT_EQ(render_lines(report),
            "time per unit of 2 configurations: 1 slower, 1 not comparable\n"
            "  1. moe, 8 streams: slower, +25 % [+12.5 %, +50 %]\n"
            "  2. it has no process (moe, 16 streams)\n"
            "  quality: 1 configuration on one side only (and 1 more remark below)\n"
            "\n"
            "configuration    verdict    time per unit [interval]  confidence\n"
            "moe, 8 streams   regressed   25.0 % [12.5 %, 50.0 %]        98 %\n"
            "moe, 16 streams  invalid\n"
            "\n"
            "moe, 8 streams: the interval lies above 5 %\n"
            "  warning: no drift was measured\n"
            "moe, 16 streams: it has no process\n"
            "only in the baseline: moe, 32 streams\n"
            "incomplete: 1 configuration stands on one side only: measure both sides alike, or accept it with "
            "--allow-different\n");
  const std::string page = render_html(report);
  EXPECT_NE(page.find("<td class=\"w bad\">regressed"), page.npos) << page;
}

TEST(PairComparisonReport, SaysWhatManyComparisonsAskFor) {
  PairComparison pair_comparison{.configuration = "moe, 8 streams", .comparison = {}, .alone = Verdict::kRegressed};
  pair_comparison.comparison.ratio = 1.25;
  pair_comparison.comparison.interval = Interval{1, 1.5};
  pair_comparison.comparison.interval_confidence = 1 - 2 * 0.01 / 80;
  const Report report = build_pair_comparison_report({.pairs = {pair_comparison, pair_comparison},
                                                      .unpaired = {"only in the test: moe, 1 streams"},
                                                      .allow_unpaired = true,
                                                      .correction = PairCorrection{.pairs = 40,
                                                                                   .level = 0.01,
                                                                                   .widening = 2.5,
                                                                                   .processes = 5,
                                                                                   .processes_needed = 11,
                                                                                   .minimum_detectable = 0.125}},
                                                     "time per unit");
  const std::string text = render_lines(report);
  EXPECT_THAT(text, testing::HasSubstr("99.975 %"));
  EXPECT_THAT(text, testing::HasSubstr("40 comparisons: that one or more is called regressed or improved wrongly has a "
                                       "probability of 1 % at most. With 5 processes a side an interval is up to 2.50 "
                                       "times as wide for it; 11 a side make it as narrow as that of one comparison "
                                       "alone. A change of less than 12.5 % may go unseen in one of them."));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("too few")));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("incomplete")));
}

TEST(PairComparisonReport, SaysOnceWhatASideDoesNotTell) {
  PairComparison pair_comparison{.configuration = "moe, 8 streams", .comparison = {}, .alone = Verdict::kEquivalent};
  pair_comparison.comparison.verdict = Verdict::kEquivalent;
  pair_comparison.comparison.not_recorded = {"not recorded by the test: processor"};
  const std::string text = render_lines(build_pair_comparison_report(
      {.pairs = {pair_comparison, pair_comparison}, .unpaired = {}, .correction = {}}, "step"));
  const size_t first = text.find("not recorded by the test: processor");
  ASSERT_NE(first, text.npos) << text;
  EXPECT_EQ(text.find("not recorded", first + 1), text.npos) << text;
}

TEST(PairComparisonReport, SaysThatSoFewProcessesShowNoChange) {
  const std::string text = render_lines(build_pair_comparison_report(
      {.pairs = {},
       .unpaired = {},
       .correction =
           PairCorrection{
               .pairs = 40, .widening = 6, .processes = 3, .processes_needed = 12, .minimum_detectable = 2.4}},
      "time per unit"));
  EXPECT_THAT(text, testing::HasSubstr("too few processes for their spread: 40 comparisons"));
  EXPECT_THAT(text, testing::HasSubstr("12 a side make it"));
  EXPECT_THAT(text, testing::HasSubstr("A change of less than 240 % may go unseen"));
}

}  // namespace
}  // namespace aaco::report
