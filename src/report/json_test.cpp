// SPDX-License-Identifier: MIT
#include "base/json/json.h"

#include <cmath>
#include <gtest/gtest.h>

#include "report/sinks.h"
#include "report/values.h"

namespace aaco::report {
namespace {

// The blocks of a report with one section.
Json blocks_of(std::vector<Block> blocks) {
  return render_json({.sections = {{.id = "a", .title = "A", .blocks = std::move(blocks)}}})["sections"][0]["blocks"];
}

TEST(JsonSink, CellsAreRawNumbersWithTheirUnitAndInterval) {
  Cell noted = text_cell("right", Tone::kGood);
  noted.whole = "right, the whole of it";
  const Json table = blocks_of({TableBlock{.id = "t",
                                           .columns = {{"figure"}, {.title = "", .key = "key"}},
                                           .rows = {{interval_cell(6660, Interval{6000, 7000}, "bytes"), count_cell(3)},
                                                    {missing_cell("too few steps"), Cell()},
                                                    {percent_cell(0.125), change_cell(2.5, std::nullopt, "ns")},
                                                    {noted, number_cell(std::nan(""), "1")}}}})[0];
  EXPECT_EQ(table["id"], "t");
  EXPECT_EQ(table["columns"], Json({"figure", "key"}));
  EXPECT_EQ(table["rows"][0][0],
            (Json{{"value", 6660.0}, {"unit", "bytes"}, {"interval", {{"low", 6000.0}, {"high", 7000.0}}}}));
  EXPECT_EQ(table["rows"][0][1], (Json{{"value", 3}, {"unit", "1"}}));
  EXPECT_TRUE(table["rows"][0][1]["value"].is_number_integer());
  EXPECT_EQ(table["rows"][1][0], (Json{{"value", nullptr}, {"reason", "too few steps"}}));
  EXPECT_EQ(table["rows"][1][1], (Json{{"value", nullptr}}));
  EXPECT_EQ(table["rows"][2][0], (Json{{"value", 12.5}, {"unit", "%"}}));
  EXPECT_EQ(table["rows"][2][1], (Json{{"before", {{"value", 2.5}, {"unit", "ns"}}}, {"after", nullptr}}));
  EXPECT_EQ(table["rows"][3][0], (Json{{"value", "right, the whole of it"}, {"tone", "good"}}));
  EXPECT_EQ(table["rows"][3][1], (Json{{"value", nullptr}, {"unit", "1"}, {"reason", "not finite"}}));
}

TEST(JsonSink, FiguresAndFactsAreAsCells) {
  const Json blocks = blocks_of({KeyFigures{{{"median", number_cell(1.5e6, "ns"), "95 %", Tone::kBad}}},
                                 FactList{{{"memory", number_cell(2e9, "B")}, {"model", "tiny"}}}});
  EXPECT_EQ(blocks[0]["figures"][0],
            (Json{{"label", "median"}, {"value", 1.5e6}, {"unit", "ns"}, {"detail", "95 %"}, {"tone", "bad"}}));
  EXPECT_EQ(blocks[1]["facts"], (Json{{"memory", {{"value", 2e9}, {"unit", "B"}}}, {"model", {{"value", "tiny"}}}}));
}

TEST(JsonSink, ChartsHaveTheirPointsAndAxes) {
  const Json chart = blocks_of(
      {ChartBlock{{.id = "c",
                   .x = {.title = "time", .quantity = plot::Quantity::kDuration, .logarithmic = true},
                   .y = {.title = "rank", .categories = {"rank 0"}},
                   .series = {{.name = "step", .mark = plot::Mark::kBars, .x = {1, 2}, .y = {0, 0}, .low = {0.5, 1.5}}},
                   .annotations = {{.from = 3, .text = "from here"}}}}})[0];
  EXPECT_EQ(chart["x"], (Json{{"title", "time"}, {"unit", "ns"}, {"logarithmic", true}}));
  EXPECT_EQ(chart["y"]["categories"], Json({"rank 0"}));
  EXPECT_EQ(chart["series"][0], (Json{{"name", "step"},
                                      {"mark", "bars"},
                                      {"points", 2},
                                      {"x", {1.0, 2.0}},
                                      {"y", {0.0, 0.0}},
                                      {"low", {0.5, 1.5}}}));
  EXPECT_EQ(chart["annotations"][0],
            (Json{{"kind", "vertical line"}, {"from", 3.0}, {"to", nullptr}, {"text", "from here"}}));
}

TEST(JsonSink, MetricsAreNamedWhateverTheSubject) {
  static constexpr MetricInfo kInfo{"step_p50", "step, median", "ns", "median", "a step", "all"};
  Report report;
  report.metrics = {{&kInfo, kInfo.title, kInfo.unit, no_data("step_p50", "no step was measured")}};
  EXPECT_EQ(render_json(report)["metrics"][0], (Json{{"id", "step_p50"},
                                                     {"title", "step, median"},
                                                     {"unit", "ns"},
                                                     {"value", nullptr},
                                                     {"interval", nullptr},
                                                     {"quality", "no data: no step was measured"},
                                                     {"help", "median"}}));
}

}  // namespace
}  // namespace aaco::report
