// SPDX-License-Identifier: MIT
#include "report/flame/flame_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

#include "report/plot/svg.h"

namespace aaco::plot {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

// "label row start end" of each span.
std::vector<std::string> spans_of(const Chart& chart) {
  std::vector<std::string> spans;
  for (const Series& series : chart.series) {
    for (size_t i = 0; i < series.x.size(); ++i) {
      spans.push_back(series.labels[i] + " @" + std::to_string(static_cast<int64_t>(series.y[i])) + " " +
                      std::to_string(static_cast<int64_t>(series.start[i])) + ".." +
                      std::to_string(static_cast<int64_t>(series.x[i])));
    }
  }
  return spans;
}

Chart graph_of(const std::vector<WeightedStack>& stacks) {
  return flame_graph({.id = "flame", .title = "Calls"}, stacks, format_duration_ns);
}

// a: 30 of its own, 50 in x (40 + 10 of another stack); b: 20. The heaviest is first, so that b follows a.
TEST(FlameGraph, CallsLieUnderTheirCallersInProportion) {
  const Chart chart = graph_of({{{"b"}, 20}, {{"a"}, 30}, {{"a", "x"}, 40}, {{"a", "x", "y"}, 10}});
  EXPECT_THAT(spans_of(chart), UnorderedElementsAre("a: 80.00 ns, 80.0 % @0 0..80", "b: 20.00 ns, 20.0 % @0 80..100",
                                                    "x: 50.00 ns, 50.0 % @1 0..50", "y: 10.00 ns, 10.0 % @2 0..10"));
  EXPECT_EQ(chart.y.categories.size(), 3U);
}

TEST(FlameGraph, FramesOfLessThanAThousandthAreCountedAndNotDrawn) {
  const Chart chart = graph_of({{{"large"}, 99'950}, {{"small"}, 50}});
  EXPECT_EQ(spans_of(chart).size(), 1U);
  EXPECT_THAT(chart.caption, HasSubstr("< 0.1 % of the whole"));
}

TEST(FlameGraph, DeepFramesAreSaidToBeLeftOut) {
  const Chart chart = graph_of({{std::vector<std::string>(40, "again"), 5}});
  EXPECT_EQ(chart.y.categories.size(), 32U);
  EXPECT_THAT(chart.caption, HasSubstr("deeper than 32"));
}

TEST(FlameGraph, NothingIsDrawnOfNothing) {
  EXPECT_FALSE(has_data(graph_of({})));
  EXPECT_THAT(graph_of({{{"a"}, 0}, {{"b"}, std::numeric_limits<double>::quiet_NaN()}, {{}, 7}}).series, IsEmpty());
}

// The name of a C++ function has colons: it ends at the colon before the figure. A long one is cut.
TEST(FlameGraph, NamesStandInTheirSpans) {
  const Chart chart = graph_of({{{"aten::conv2d"}, 90}, {{std::string(300, 'n')}, 10}});
  const std::string svg = render_svg(chart, SvgUse::kInline);
  EXPECT_THAT(svg, HasSubstr(">aten::conv2d</text>"));
  EXPECT_THAT(svg, HasSubstr("nnn…</text>"));
  EXPECT_THAT(svg, Not(HasSubstr(">" + std::string(300, 'n') + "</text>")));
}

}  // namespace
}  // namespace aaco::plot
