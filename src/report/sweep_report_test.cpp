// SPDX-License-Identifier: MIT
#include "report/sweep_report.h"

#include <gtest/gtest.h>

#include "analysis/model_run/scaling.h"
#include "base/json.h"
#include "report/plot/svg.h"
#include "report/sinks.h"
#include "report/sweep_plots.h"
#include "report/test_markup.h"
#include "report/test_session.h"

namespace aaco::report {
namespace {

Estimate exact(double ns) { return {ns, Interval{ns * 0.999, ns * 1.001}}; }

ScalingPoint point(int64_t batch, const Estimate& time_ns) { return {batch, time_ns, time_ns}; }

// 10, 20 and 21 samples/ms: the first doubling gains 100 %, the second 5 %.
Scaling saturated() { return scaling_of({point(1, exact(1e5)), point(2, exact(1e5)), point(4, exact(4e6 / 21))}); }

Json sweep_of(const Scaling& scaling) {
  return {{"scaling", scaling},
          {"points",
           {{{"batch", 1}, {"bundle", "s/d/first"}, {"status", "complete"}, {"bottleneck_class", "cpu-bound"}},
            {{"batch", 8}, {"bundle", "s/d/last"}, {"status", "invalid"}, {"bottleneck_class", ""}}}},
          {"stopped_by", "the disk is <full>"}};
}

TEST(SweepReport, SaysWhereThroughputIsSaturatedAndWhatIsMissing) {
  const OpenSession session = test::empty_session();
  const auto report = build_sweep_report(session, sweep_of(saturated()));
  ASSERT_TRUE(report) << report.error().message;
  const std::string html = render_html(*report);
  EXPECT_EQ(test::markup_problem(html), "");
  for (const char* part : {"saturated from batch 2 on: going to batch 4 gains 5.0 %", "the disk is &lt;full&gt;",
                           "batch 8: invalid, last", "cpu-bound", "first", "21.0 ksamples/s", "saturated from 2"}) {
    EXPECT_NE(html.find(part), std::string::npos) << part;
  }
}

TEST(SweepReport, PlotsHaveEachBatchAsATick) {
  const plot::Chart chart = throughput_by_batch(saturated());
  EXPECT_EQ(chart.x.ticks, (std::vector<double>{1, 2, 4}));
  ASSERT_EQ(chart.annotations.size(), 1U);
  EXPECT_EQ(chart.annotations[0].from, 2);
  EXPECT_EQ(gain_by_batch(saturated()).series[0].x, (std::vector<double>{2, 4}));
}

TEST(SweepReport, NothingMeasuredIsNoData) {
  const OpenSession session = test::empty_session();
  const auto report = build_sweep_report(session, {{"scaling", Scaling{}}, {"points", Json::array()}});
  ASSERT_TRUE(report);
  const std::string html = render_html(*report);
  EXPECT_EQ(test::markup_problem(html), "");
  EXPECT_NE(html.find("No data: no batch was measured to its end."), std::string::npos);
}

// Both batches gain 1.5 % or less, far from the line of saturation.
TEST(SweepReport, LineOfSaturationIsDrawnWhereEveryGainIsSmall) {
  const plot::Chart chart = gain_by_batch(scaling_of({point(1, {1e5, {}}), point(2, {2e5 / 1.015, {}})}));
  EXPECT_NE(plot::render_svg(chart, plot::SvgUse::kInline).find("class=\"note\""), std::string::npos);
}

// A sweep of before elapsed times were kept, whose batches' sessions are gone: its samples_per_s is batch over median.
TEST(SweepReport, AThroughputOfMediansIsNotBelieved) {
  const OpenSession session = test::empty_session();
  const auto row = [](int batch, double ns) {
    return Json{{"batch", batch}, {"latency_ns", {{"value", ns}}}, {"samples_per_s", {{"value", 1e9 * batch / ns}}}};
  };
  const auto report =
      build_sweep_report(session, {{"scaling", {{"rows", {row(1, 1e6), row(2, 1e6)}}}}, {"points", Json::array()}});
  ASSERT_TRUE(report) << report.error().message;
  const std::string text = render_text(*report);
  for (const char* part : {"highest throughput", "not recorded: how long the iterations took together",
                           "no data: the throughput of batch 1 is not recorded"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << text;
  }
  EXPECT_EQ(text.find("ksamples/s"), std::string::npos) << text;
}

// Only batches and times are believed.
TEST(SweepReport, DerivedFiguresOfTheFileAreComputedAgain) {
  const OpenSession session = test::empty_session();
  const auto row = [](int batch, double ns) {
    return Json{{"batch", batch}, {"latency_ns", {{"value", ns}}}, {"elapsed_ns", {{"value", ns}}}};
  };
  const auto report = build_sweep_report(
      session, {{"scaling", {{"rows", {row(1, 1e6), row(2, 2e6)}}, {"saturation_batch", 1}}}, {"points", {3, "x"}}});
  ASSERT_TRUE(report) << report.error().message;
  const std::string text = render_text(*report);
  for (const char* part : {"1.00 ksamples/s", "saturated from batch 1 on: going to batch 2 gains 0.0 % a doubling",
                           "batch not known: no status"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << text;
  }
}

TEST(SweepReport, RefusesRowsThatNoSweepCouldWrite) {
  const OpenSession session = test::empty_session();
  const Json fine{{"batch", 4}, {"latency_ns", {{"value", 1e6}}}};
  for (const Json& row :
       {Json{{"batch", 0}, {"latency_ns", {{"value", 1e6}}}}, Json{{"batch", -2}, {"latency_ns", {{"value", 1e6}}}},
        Json{{"batch", 2}}, Json{{"batch", 2}, {"latency_ns", {{"value", -1}}}},
        Json{{"batch", 2}, {"latency_ns", {{"value", 1e-320}}}}, fine,
        Json{{"batch", 2}, {"latency_ns", {{"value", 1e6}, {"interval", {{"low", -1}, {"high", 2e6}}}}}}}) {
    const auto report = build_sweep_report(session, {{"scaling", {{"rows", {row, fine}}}}});
    ASSERT_FALSE(report) << row;
    EXPECT_EQ(report.error().kind, ErrorKind::kUsage);
  }
}

TEST(SweepReport, RefusesWhatIsNoSweep) {
  const OpenSession session = test::empty_session();
  for (const Json& sweep : {Json(), Json::array(), Json{{"scaling", 3}}, Json{{"scaling", {{"rows", "x"}}}}}) {
    const auto report = build_sweep_report(session, sweep);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().kind, ErrorKind::kUsage);
    EXPECT_NE(report.error().message.find("sweep.json"), std::string::npos);
  }
}

}  // namespace
}  // namespace aaco::report
