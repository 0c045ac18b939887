// SPDX-License-Identifier: MIT
#include "report/sections/kind_headline.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "base/text/characters.h"
#include "report/headline/headline.h"
#include "report/sections/run_headline.h"
#include "report/sinks.h"
#include "report/values.h"

namespace aaco::report {
namespace {

Headline whole() {
  Headline headline{
      .figure = "the device was busy 50 % of 100 us",
      .budget = {{{"computation", 50'000, 0}, {"copy", 25'000, 1}, {"nothing", 0, 2}, {"idle", 25'000, 8}}},
      .findings = {"first", "second", "third"}};
  set_quality({}, headline);
  return headline;
}

TEST(Headline, HasSixLinesAtMost) {
  const std::vector<std::string> lines = headline_lines(whole());
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_EQ(length_of(lines[1]), 62U);
  EXPECT_TRUE(lines[1].ends_with("▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒"));  // 25 % of 60 cells
  EXPECT_EQ(lines[2], "  █ computation 50.0 %  ▓ copy 25.0 %  ▒ idle 25.0 %");
  EXPECT_EQ(lines[4], "  2. second");
  EXPECT_EQ(lines[5], "  quality: complete");
  EXPECT_TRUE(headline_lines({}).empty());
}

TEST(Headline, TellsTheGravestDoubt) {
  Headline headline;
  set_quality({{"a clock is off", Tone::kWarning}, {"the end is missing", Tone::kBad}}, headline);
  EXPECT_EQ(headline.quality, "the end is missing (and 1 more remark below)");
  EXPECT_EQ(headline.quality_tone, Tone::kBad);
}

TEST(Headline, StandsBeforeAllElseInEverySink) {
  const Report report{.title = "t", .headline = whole(), .sections = {{.id = "s", .title = "a section"}}};
  for (const std::string& text : {render_text(report), render_lines(report), render_markdown(report, "")}) {
    const size_t figure = text.find("busy 50 %");
    EXPECT_NE(figure, std::string::npos) << text;
    EXPECT_LT(figure, text.find("a section"));
  }
  const std::string html = render_html(report);
  EXPECT_LT(html.find("busy 50 %"), html.find("<section"));
  EXPECT_EQ(render_json(report)["headline"]["budget"][0]["value"], 50'000);
}

// A line holds a short command whole; of a long one the words are said, as half a command is none.
TEST(Headline, WhatToRecordNextIsACommandToPaste) {
  Recording recording;
  recording.facts.device_kind = DeviceKind::kCpu;
  recording.planes["profiler"] = {PlaneStatus::kNotRequested, ""};
  Analysis analysis;
  analysis.bottleneck.bottleneck_class = BottleneckClass::kUndetermined;
  LatencySummary latency;
  latency.phase = IterationPhase::kMeasure;
  analysis.latencies.push_back(latency);
  const auto limit = [&](const std::string& model) {
    return run_headline(recording, analysis, {"/opt/bin/aaco", "run", model}, "").findings.at(0);
  };
  EXPECT_EQ(limit("gemm"),
            "what limits it is undetermined; to find out: aaco doctor --measure && aaco run gemm --profile");
  EXPECT_TRUE(limit(std::string(70, 'x')).ends_with("then the same run with --profile"));
}

TEST(Headline, OfASessionTakesItsRemarks) {
  const std::vector<Section> sections = {
      {.id = "summary", .title = "Summary", .blocks = {Paragraph{"fine"}, Paragraph{"a trend", Tone::kWarning}}}};
  EXPECT_EQ(headline_with("x", sections).quality, "a trend");
  EXPECT_EQ(headline_with("x", {}).quality, "complete");
  EXPECT_EQ(figure_words({"median", interval_cell(8e6, Interval{7e6, 9e6}, "ns"), "95 %"}),
            "median 8.000 ms [7.000, 9.000]");
  EXPECT_EQ(figure_words({"p99", missing_cell("no data"), "too few"}), "p99 no data (too few)");
}

// Rows beyond the first ten are drawn once, and lie behind a switch.
TEST(Pages, LongTablesFold) {
  TableBlock table{.id = "long", .columns = {{"row"}}};
  for (int row = 0; row < 40; ++row) {
    table.rows.push_back({text_cell("row-" + std::to_string(row) + ".")});
  }
  const Report report{.title = "t", .sections = {{.id = "s", .title = "s", .blocks = {table}}}};
  const std::string html = render_html(report);
  EXPECT_NE(html.find("30 more rows"), std::string::npos);
  EXPECT_GT(html.find("row-10."), html.find("tbody class=\"rest\""));
  EXPECT_EQ(html.find("row-39."), html.rfind("row-39."));
  const std::string text = render_text(report, {.most = 10});
  EXPECT_NE(text.find("30 more rows (--top)"), std::string::npos) << text;
  EXPECT_EQ(text.find("row-10."), std::string::npos);
}

TEST(Text, NamesWhatIsFolded) {
  const Report report{.title = "t",
                      .sections = {{.id = "s", .title = "s", .blocks = {FoldedBlocks{"Details", {Paragraph{"deep"}}}}},
                                   {.id = "other", .title = "another section"}}};
  EXPECT_NE(render_text(report, {.folded = true}).find("Details: folded (--section s)"), std::string::npos);
  const std::string chosen = render_text(report, {.folded = true, .section = "s"});
  EXPECT_NE(chosen.find("deep"), std::string::npos);
  EXPECT_EQ(chosen.find("another section"), std::string::npos);
}

}  // namespace
}  // namespace aaco::report
