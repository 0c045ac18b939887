// SPDX-License-Identifier: MIT
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>

#include "report/plot/decimate.h"
#include "report/plot/markup.h"
#include "report/plot/prepare.h"
#include "report/plot/svg.h"
#include "report/plot/ticks.h"
#include "report/test_markup.h"

namespace aaco::plot {
namespace {

using testing::ElementsAre;

// The smallest of 1, 2, 5, 10 times a power of ten that is at least range / count.
TEST(Ticks, StepIsTheNextNiceNumber) {
  EXPECT_DOUBLE_EQ(nice_step(10, 5), 2);
  EXPECT_DOUBLE_EQ(nice_step(10, 10), 1);
  EXPECT_DOUBLE_EQ(nice_step(11, 5), 5);     // 2.2
  EXPECT_DOUBLE_EQ(nice_step(0.3, 5), 0.1);  // 0.06
  EXPECT_DOUBLE_EQ(nice_step(7e6, 7), 1e6);
}

TEST(Ticks, DurationsShareOneUnit) {
  const Ticks ticks = make_ticks({.quantity = Quantity::kDuration}, 9.8e6, 10.4e6, 5);
  EXPECT_EQ(ticks.unit, "ms");
  EXPECT_THAT(ticks.labels, ElementsAre("9.8", "10.0", "10.2", "10.4"));
}

TEST(Ticks, KnownAnswers) {
  EXPECT_THAT(make_ticks({.quantity = Quantity::kPercent}, 0, 1, 5).labels,
              ElementsAre("0", "20", "40", "60", "80", "100"));
  EXPECT_THAT(make_ticks({}, -1, 1, 4).labels, ElementsAre("-1.0", "-0.5", "0.0", "0.5", "1.0"));
  const Ticks bytes = make_ticks({.quantity = Quantity::kSi, .unit = "B"}, 0, 4.1e9, 5);
  EXPECT_EQ(bytes.unit, "GB");
  EXPECT_THAT(bytes.labels, ElementsAre("0", "1", "2", "3", "4"));
  EXPECT_THAT(make_ticks({.whole_numbers = true}, -0.5, 1.5, 8).labels, ElementsAre("0", "1"));
}

TEST(Ticks, NoUnitHasTwoPrefixes) {
  const Ticks flops = make_ticks({.quantity = Quantity::kSi, .unit = "TFLOP/s"}, 0, 0.0041, 5);
  EXPECT_EQ(flops.unit, "GFLOP/s");
  EXPECT_THAT(flops.labels, ElementsAre("0", "1", "2", "3", "4"));
  EXPECT_EQ(make_ticks({.quantity = Quantity::kSi, .unit = "kernels/s"}, 0, 4.1e6, 5).unit, "million kernels/s");
}

TEST(Ticks, LogarithmicLabelsCarryTheirUnits) {
  const Axis axis{.quantity = Quantity::kDuration, .logarithmic = true};
  EXPECT_THAT(make_ticks(axis, 900, 1.1e9, 10).labels,
              ElementsAre("1 us", "10 us", "100 us", "1 ms", "10 ms", "100 ms", "1 s"));
  EXPECT_THAT(make_ticks(axis, 1e6, 1e7, 10).labels, ElementsAre("1 ms", "2 ms", "5 ms", "10 ms"));
}

// One spike up and one down among 100,000 equal values: both survive, and so do the ends.
TEST(Decimate, KeepsExtremesAndEnds) {
  std::vector<double> x(100'000);
  std::iota(x.begin(), x.end(), 0.0);
  std::vector<double> y(x.size(), 5.0);
  y[31'415] = 900;
  y[77'777] = -900;
  const std::vector<size_t> kept = decimate_line(x, y, x.front(), x.back(), 500);
  EXPECT_LE(kept.size(), 2000U);
  EXPECT_THAT(kept, testing::Contains(31'415U));
  EXPECT_THAT(kept, testing::Contains(77'777U));
  EXPECT_EQ(kept.front(), 0U);
  EXPECT_EQ(kept.back(), x.size() - 1);
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
}

TEST(Decimate, ShortSeriesAreKeptWhole) {
  const std::vector<double> x{0, 1, 2, 3};
  const std::vector<double> y{1, std::numeric_limits<double>::quiet_NaN(), 3, 4};
  EXPECT_THAT(decimate_line(x, y, 0, 3, 100), ElementsAre(0, 2, 3));
}

// Two columns over [0, 10]: {4, 1, 9} and {2, 8}; the median is the upper one of an even number.
TEST(Decimate, ColumnsAreSummarized) {
  const auto columns =
      summarize_columns(std::vector<double>{9, 0, 1, 2, 6}, std::vector<double>{2, 4, 1, 9, 8}, 0, 10, 2);
  ASSERT_EQ(columns.size(), 2U);
  EXPECT_EQ(columns[0].x, 2.5);
  EXPECT_EQ(columns[0].low, 1);
  EXPECT_EQ(columns[0].median, 4);
  EXPECT_EQ(columns[0].high, 9);
  EXPECT_EQ(columns[1].median, 8);
}

// 0, 1, ..., 7 over [0, 7]: the interquartile range is 3.5, so the width is 7 / 2 = 3.5 and 2 bins are raised to 8, one
// value each; the last edge is closed.
TEST(Prepare, HistogramSharesAddUp) {
  Chart chart;
  chart.series = {{.mark = Mark::kHistogram, .x = {0, 1, 2, 3, 4, 5, 6, 7}}};
  const Series series = prepare(chart)[0];
  EXPECT_THAT(series.y, ElementsAre(0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125));
  EXPECT_EQ(series.x.front(), 0);
  EXPECT_EQ(series.x.back(), 7);
}

TEST(Prepare, HistogramsShareTheirBinsAndCountWhatLiesBeyond) {
  Chart chart;
  chart.x.max = 10;
  chart.series = {{.mark = Mark::kHistogram, .x = {1, 2, 3, 1000}}, {.mark = Mark::kHistogram, .x = {4, 5}}};
  const std::vector<Series> prepared = prepare(chart);
  EXPECT_EQ(prepared[0].x, prepared[1].x);
  EXPECT_DOUBLE_EQ(std::accumulate(prepared[0].y.begin(), prepared[0].y.end(), 0.0), 0.75);
  EXPECT_DOUBLE_EQ(std::accumulate(prepared[1].y.begin(), prepared[1].y.end(), 0.0), 1.0);
}

TEST(Prepare, EcdfRisesFromOneOverNToOne) {
  Chart chart;
  chart.series = {{.mark = Mark::kEcdf, .x = {3, 1, 2, 2}}};
  const Series series = prepare(chart)[0];
  EXPECT_THAT(series.x, ElementsAre(1, 2, 2, 3));
  EXPECT_THAT(series.y, ElementsAre(0.25, 0.5, 0.75, 1));
}

TEST(Prepare, StackedAreasLieOnEachOther) {
  Chart chart;
  chart.series = {{.mark = Mark::kStackedArea, .x = {0, 1}, .y = {2, 3}},
                  {.mark = Mark::kStackedArea, .x = {0, 1}, .y = {10, 20}}};
  const std::vector<Series> prepared = prepare(chart);
  EXPECT_THAT(prepared[1].low, ElementsAre(2, 3));
  EXPECT_THAT(prepared[1].high, ElementsAre(12, 23));
  EXPECT_GE(scale_of_y(chart, prepared).high, 23);
}

// Unknown is not zero: the area has a hole, and so has what lies on it.
TEST(Prepare, StackedAreasKeepGaps) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  Chart chart{.id = "gap"};
  chart.series = {{.mark = Mark::kStackedArea, .x = {0, 1, 2, 3, 4}, .y = {2, 2, kUnknown, 2, 2}},
                  {.mark = Mark::kStackedArea, .x = {0, 1, 2, 3, 4}, .y = {1, 1, 1, 1, 1}}};
  EXPECT_TRUE(std::isnan(prepare(chart)[1].high[2]));
  const std::string svg = render_svg(chart, SvgUse::kInline);
  const size_t area = svg.find("class=\"area\" d=\"");
  const std::string data = svg.substr(area, svg.find("/>", area) - area);
  EXPECT_EQ(std::count(data.begin(), data.end(), 'Z'), 2);
}

TEST(Prepare, ScaleMapsEndsToPixels) {
  const Scale linear{10, 20, false, 100, 300};
  EXPECT_DOUBLE_EQ(linear.at(15), 200);
  const Scale logarithmic{1, 100, true, 0, 50};
  EXPECT_DOUBLE_EQ(logarithmic.at(10), 25);
}

TEST(Markup, EscapesAndReplaces) {
  EXPECT_EQ(escape_markup("<a href=\"x\">'&'</a>"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
  EXPECT_EQ(escape_markup("caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"), "caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80");
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(escape_markup(std::string_view("a\0b", 3)), "a" + bad + "b");
  EXPECT_EQ(escape_markup("\xC3"), bad + "c3");                                    // cut short
  EXPECT_EQ(escape_markup("\xC0\xAF"), bad + "c0" + bad + "af");                   // overlong
  EXPECT_EQ(escape_markup("\xED\xA0\x80"), bad + "ed" + bad + "a0" + bad + "80");  // surrogate
  EXPECT_EQ(escape_markup("\u202E"), bad);
}

Chart million_points(Mark mark) {
  Chart chart{.id = "million", .title = "a million"};
  Series series{.name = "all", .mark = mark};
  uint64_t state = 1;
  for (int i = 0; i < 1'000'000; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    series.x.push_back(mark == Mark::kHistogram || mark == Mark::kEcdf ? static_cast<double>(state >> 40) : i);
    series.y.push_back(static_cast<double>(state >> 40));
  }
  if (mark == Mark::kSpans) {
    chart.y.categories = {"lane"};
    std::fill(series.y.begin(), series.y.end(), 0);
    series.start = series.x;
  }
  chart.series.push_back(std::move(series));
  return chart;
}

TEST(Svg, MillionPointsStaySmall) {
  for (const Mark mark :
       {Mark::kLine, Mark::kPoints, Mark::kHistogram, Mark::kEcdf, Mark::kStackedArea, Mark::kSpans}) {
    const std::string svg = render_svg(million_points(mark), SvgUse::kStandAlone);
    EXPECT_LT(svg.size(), 300'000U) << static_cast<int>(mark);
    EXPECT_GT(svg.size(), 3'000U) << static_cast<int>(mark);
    EXPECT_EQ(report::test::markup_problem(svg), "");
  }
}

TEST(Svg, NoPointsSaysWhy) {
  const Chart chart{.id = "none", .title = "nothing", .no_data = "never measured"};
  for (const SvgUse use : {SvgUse::kInline, SvgUse::kStandAlone}) {
    const std::string svg = render_svg(chart, use);
    EXPECT_NE(svg.find("no data: never measured"), std::string::npos);
    EXPECT_EQ(report::test::markup_problem(svg), "");
  }
}

// Values that a damaged file could hold must not hang, crash, or write "nan" into a coordinate.
TEST(Svg, OddNumbersAreSurvived) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const std::vector<double>& values : std::vector<std::vector<double>>{{0},
                                                                            {5},
                                                                            {5, 5, 5},
                                                                            {-1e300, 1e300},
                                                                            {1e-300, 2e-300},
                                                                            {kInf, 1, -kInf},
                                                                            {kNan, 1},
                                                                            {1e15, 1e15 + 1},
                                                                            {-3, -2}}) {
    for (const Mark mark :
         {Mark::kLine, Mark::kPoints, Mark::kBars, Mark::kSpans, Mark::kHistogram, Mark::kEcdf, Mark::kStackedArea}) {
      for (const bool logarithmic : {false, true}) {
        Chart chart{.id = "odd", .title = "odd"};
        chart.x.logarithmic = logarithmic;
        chart.y.logarithmic = logarithmic;
        chart.series = {{.mark = mark, .x = values, .y = values}};
        const std::string svg = render_svg(chart, SvgUse::kInline);
        EXPECT_EQ(svg.find("nan"), std::string::npos);
        EXPECT_EQ(svg.find("inf"), std::string::npos);
        EXPECT_EQ(report::test::markup_problem(svg), "");
      }
    }
  }
}

size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

// A band wider than the data widens the axis; where the axis has limits of its own, the band is cut to them.
TEST(Svg, HorizontalBandsAreDrawnWhereTheyReach) {
  Chart chart{.id = "band", .title = "band"};
  chart.series = {{.mark = Mark::kPoints, .x = {0, 1, 2}, .y = {10.0, 10.1, 10.2}}};
  chart.annotations = {{.kind = Annotation::Kind::kHorizontalBand, .from = 9.857, .to = 10.35}};
  EXPECT_LT(scale_of_y(chart, chart.series).low, 9.857);
  EXPECT_GT(scale_of_y(chart, chart.series).high, 10.35);
  EXPECT_EQ(count_of(render_svg(chart, SvgUse::kInline), "class=\"tint\""), 1U);
  chart.y.min = 10;
  EXPECT_EQ(count_of(render_svg(chart, SvgUse::kInline), "class=\"tint\""), 1U);
  chart.y.min = 11;
  chart.y.max = 12;
  EXPECT_EQ(count_of(render_svg(chart, SvgUse::kInline), "class=\"tint\""), 0U);
}

double attribute_of(const std::string& svg, const std::string& text, const std::string& name) {
  const size_t element = svg.rfind("<text ", svg.find(">" + text + "<"));
  return std::stod(svg.substr(svg.find(" " + name + "=\"", element) + name.size() + 3));
}

// Names of lines that are a few pixels apart, at the left edge, and of one at the right edge.
TEST(Svg, NamesOfLinesKeepClearOfEachOtherAndInside) {
  Chart chart{.id = "names", .title = "names", .width = 340};
  chart.series = {{.mark = Mark::kHistogram, .x = {0, 1, 50, 100}}};
  chart.annotations = {{.from = 1, .text = "median"}, {.from = 5, .text = "p99"}, {.from = 99.9, .text = "slowest"}};
  const std::string svg = render_svg(chart, SvgUse::kInline);
  EXPECT_GE(attribute_of(svg, "p99", "y"), attribute_of(svg, "median", "y") + 11);
  EXPECT_EQ(attribute_of(svg, "slowest", "y"), attribute_of(svg, "median", "y"));
  EXPECT_LT(attribute_of(svg, "slowest", "x") + 7 * 6.3, 340);
}

// One row of names is 16 px high.
TEST(Svg, WhatExceedsTheAxisStaysBelowTheNames) {
  Chart chart{.id = "strip", .title = "strip"};
  chart.series = {{.mark = Mark::kLine, .x = {0, 1}, .y = {1, 50}}};
  const auto clip = [&] {
    const std::string svg = render_svg(chart, SvgUse::kInline);
    return std::stod(svg.substr(svg.find(" y=\"", svg.find("<clipPath")) + 4));
  };
  const double unnamed = clip();
  chart.annotations = {{.kind = Annotation::Kind::kVerticalBand, .from = 0, .to = 1, .text = "process 0"}};
  EXPECT_EQ(clip(), unnamed + 16);
}

// 1 of 4 samples is beyond the axis: the curve ends at its edge, at 75 %.
TEST(Svg, EcdfEndsAtTheEdgeWithoutAJump) {
  Chart chart{.id = "ecdf", .title = "ecdf"};
  chart.x.max = 10;
  chart.y.min = 0;
  chart.y.max = 1;
  chart.series = {{.mark = Mark::kEcdf, .x = {1, 2, 3, 50}}};
  const std::string svg = render_svg(chart, SvgUse::kInline);
  const size_t first = svg.find("class=\"ln\" d=\"");
  const std::string data = svg.substr(first, svg.find("/>", first) - first);
  EXPECT_EQ(count_of(data, "V"), 3U) << data;
  EXPECT_EQ(count_of(data, "H"), 3U) << data;
}

TEST(Svg, PointsBeyondTheAxisAreShownAtItsEdge) {
  Chart chart{.id = "edge", .title = "edge"};
  chart.y.max = 10;
  chart.series = {{.mark = Mark::kPoints, .x = {0, 1}, .y = {5, 50}}};
  EXPECT_NE(render_svg(chart, SvgUse::kInline).find("beyond the axis"), std::string::npos);
  chart.series[0].y[1] = 9;
  EXPECT_EQ(render_svg(chart, SvgUse::kInline).find("beyond the axis"), std::string::npos);
}

}  // namespace
}  // namespace aaco::plot
