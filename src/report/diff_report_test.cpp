// SPDX-License-Identifier: MIT
#include "report/diff_report.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>

#include "base/files/file.h"
#include "base/json/json.h"
#include "report/diff_plots.h"
#include "report/test_markup.h"
#include "report/test_session.h"
#include "verdict/diff.h"

namespace aaco::report {
namespace {

Json diff_of(const OpenSession& baseline, const Analysis& baseline_analysis, const OpenSession& test,
             const Analysis& test_analysis) {
  const auto sample = [](const OpenSession& session, const Analysis& analysis) {
    return make_run_sample(session.recording, analysis, session.environment,
                           {session.info.session_id, session.info.created_utc, session.status, ""});
  };
  return diff_json(diff_runs(sample(baseline, baseline_analysis), sample(test, test_analysis)));
}

TEST(DiffReport, ShowsBothSidesAndTheTerms) {
  const OpenSession baseline = test::whole_session();
  OpenSession slower = test::whole_session({.slower = 1.15, .seed = 5});
  slower.info.session_id = "20260102_120000_d4e5f6";
  (*slower.environment)["kernel"]["release"] = "6.1.0-21-amd64";
  const Analysis a = analyse(baseline.recording);
  const Analysis b = analyse(slower.recording);
  const auto html = render_diff_html(baseline, a, slower, b, diff_of(baseline, a, slower, b));
  ASSERT_TRUE(html) << html.error().message;
  EXPECT_EQ(test::markup_problem(*html), "");
  for (const char* part : {"regressed", "20260101_120000_a1b2c3", "20260102_120000_d4e5f6", "kernel.release",
                           "6.1.0-21-amd64", "What made up the change"}) {
    EXPECT_NE(html->find(part), std::string::npos) << part;
  }
}

TEST(DiffReport, ShowsWhichShapesEachSideWasFed) {
  OpenSession baseline = test::whole_session();
  OpenSession other = test::whole_session({.slower = 1.15, .seed = 5});
  const auto page = [&] {
    const Analysis a = analyse(baseline.recording);
    const Analysis b = analyse(other.recording);
    const auto html = render_diff_html(baseline, a, other, b, diff_of(baseline, a, other, b));
    return html ? *html : html.error().message;
  };
  EXPECT_EQ(page().find("input shapes"), std::string::npos);
  other.recording.facts.input_shapes = {{"x", {1, 3, 48, 192}}};
  EXPECT_NE(page().find("x=1x3x48x192"), std::string::npos);
  EXPECT_NE(page().find("not recorded"), std::string::npos);
}

// From 100 ns to 130 ns: +50 by count, -10 by time, nothing known of the gap, -10 unexplained.
TEST(DiffReport, WaterfallAddsUp) {
  const plot::Chart chart = change_waterfall({{"baseline_geometric_mean_ns", 100.0},
                                              {"test_geometric_mean_ns", 130.0},
                                              {"count_ns", 50.0},
                                              {"time_ns", -10.0},
                                              {"gap_ns", nullptr},
                                              {"unexplained_ns", -10.0}});
  const plot::Series& slower = chart.series[1];
  const plot::Series& faster = chart.series[2];
  EXPECT_EQ(slower.start, std::vector<double>{100});
  EXPECT_EQ(slower.x, std::vector<double>{150});
  EXPECT_EQ(faster.start, (std::vector<double>{150, 140}));
  EXPECT_EQ(faster.x, (std::vector<double>{140, 130}));
  EXPECT_EQ(chart.y.categories[3], "gap: time in no node (no data)");
}

// whole_session() has outliers of 2.7 times the median.
TEST(DiffReport, PlotsSayHowManyIterationsTheyLeaveOut) {
  const OpenSession session = test::whole_session();
  for (const plot::Chart& chart : {overlaid_histogram(session.recording, session.recording),
                                   overlaid_ecdf(session.recording, session.recording)}) {
    ASSERT_TRUE(chart.x.max) << chart.id;
    const std::vector<double>& side = chart.series[0].x;
    const auto beyond = 2 * std::count_if(side.begin(), side.end(), [&](double ns) { return ns > *chart.x.max; });
    EXPECT_NE(chart.caption.find(" " + std::to_string(beyond) + " slower than the axis shows."), std::string::npos);
  }
}

// Both terms contain the baseline's time.
TEST(DiffReport, WhiskersOfANodeReachOverBothItsBounds) {
  const plot::Chart chart = node_changes(Json::array(
      {{{"name", "n"}, {"count_ns", 50.0}, {"count_bound_ns", 3.0}, {"time_ns", 20.0}, {"time_bound_ns", 4.0}}}));
  EXPECT_EQ(chart.series[0].low, std::vector<double>{63});
  EXPECT_EQ(chart.series[0].high, std::vector<double>{77});
}

TEST(DiffReport, RefusesWhatIsNoComparison) {
  const OpenSession session = test::empty_session();
  const Analysis analysis = analyse(session.recording);
  for (const Json& diff : {Json(), Json::array({1, 2}), Json{{"verdict", 3}}, Json{{"verdict", Json::object()}}}) {
    const auto html = render_diff_html(session, analysis, session, analysis, diff);
    ASSERT_FALSE(html);
    EXPECT_EQ(html.error().kind, ErrorKind::kUsage);
  }
}

TEST(DiffReport, VerdictAloneIsEnough) {
  const OpenSession session = test::empty_session();
  const Analysis analysis = analyse(session.recording);
  const auto html = render_diff_html(session, analysis, session, analysis,
                                     {{"verdict", "inconclusive"}, {"terms", 7}, {"warnings", "x"}});
  ASSERT_TRUE(html);
  EXPECT_EQ(test::markup_problem(*html), "");
  EXPECT_NE(html->find("the lockboxes were not compared"), std::string::npos);
}

}  // namespace
}  // namespace aaco::report
