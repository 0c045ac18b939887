// SPDX-License-Identifier: MIT
#include "kind/sweep/report/model_sweep_report.h"

#include <gtest/gtest.h>

#include "analysis/model_run/scaling.h"
#include "base/json/json.h"
#include "kind/sweep/report/model_sweep_plots.h"
#include "report/plot/svg.h"
#include "report/sinks.h"
#include "report/test_markup.h"
#include "report/test_session.h"
#include "session/bundle/layout.h"

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

Result<Report> report_of(const Json& json) {
  AACO_ASSIGN(ModelSweepDocument sweep, read_model_sweep(json, layout::kSweep));
  return build_model_sweep_report(test::empty_session(), std::move(sweep));
}

TEST(SweepReport, SaysWhereThroughputIsSaturatedAndWhatIsMissing) {
  const auto report = report_of(sweep_of(saturated()));
  ASSERT_TRUE(report) << report.error().message;
  const std::string html = render_html(*report);
  EXPECT_EQ(test::markup_problem(html), "");
  for (const char* part : {"saturated from batch 2 on: going to batch 4 gains 5.0 %", "the disk is &lt;full&gt;",
                           "batch 8: invalid, last", "cpu-bound", "first", "21,000 samples/s", "saturated from 2"}) {
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
  const auto report = report_of({{"scaling", Scaling{}}, {"points", Json::array()}});
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
  const auto row = [](int batch, double ns) {
    return Json{{"batch", batch}, {"latency_ns", {{"value", ns}}}, {"samples_per_s", {{"value", 1e9 * batch / ns}}}};
  };
  const auto report = report_of({{"scaling", {{"rows", {row(1, 1e6), row(2, 1e6)}}}}, {"points", Json::array()}});
  ASSERT_TRUE(report) << report.error().message;
  const std::string text = render_text(*report);
  for (const char* part : {"highest throughput", "not recorded: how long the iterations took together",
                           "no data: the throughput of batch 1 is not recorded"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << text;
  }
  EXPECT_EQ(text.find(" samples/s"), std::string::npos) << text;
}

// Only batches and times are believed.
TEST(SweepReport, DerivedFiguresOfTheFileAreComputedAgain) {
  const auto row = [](int batch, double ns) {
    return Json{{"batch", batch}, {"latency_ns", {{"value", ns}}}, {"elapsed_ns", {{"value", ns}}}};
  };
  const auto report = report_of(
      {{"scaling", {{"rows", {row(1, 1e6), row(2, 2e6)}}, {"saturation_batch", 1}}}, {"points", Json::array()}});
  ASSERT_TRUE(report) << report.error().message;
  const std::string text = render_text(*report);
  for (const char* part : {"1000 samples/s", "saturated from batch 1 on: going to batch 2 gains 0.0 % a doubling"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << text;
  }
}

TEST(SweepReport, RefusesRowsThatNoSweepCouldWrite) {
  const Json fine{{"batch", 4}, {"latency_ns", {{"value", 1e6}}}};
  for (const Json& row :
       {Json{{"batch", 0}, {"latency_ns", {{"value", 1e6}}}}, Json{{"batch", -2}, {"latency_ns", {{"value", 1e6}}}},
        Json{{"batch", 2}}, Json{{"batch", 2}, {"latency_ns", {{"value", -1}}}},
        Json{{"batch", 2}, {"latency_ns", {{"value", 1e-320}}}}, fine,
        Json{{"batch", 2}, {"latency_ns", {{"value", 1e6}, {"interval", {{"low", -1}, {"high", 2e6}}}}}}}) {
    const auto report = report_of({{"scaling", {{"rows", {row, fine}}}}, {"points", Json::array()}});
    ASSERT_FALSE(report) << row;
    EXPECT_EQ(report.error().kind, ErrorKind::kUsage);
  }
}

TEST(SweepReport, RefusesWhatIsNoSweep) {
  Json other = sweep_of(saturated());
  other["kind"] = "queue_sweep";
  Json nameless = sweep_of(saturated());
  nameless["points"][0].erase("bundle");
  const Json none = Json::array();
  for (const Json& sweep : {Json(), none, Json{{"scaling", 3}, {"points", none}}, Json{{"points", none}}, other,
                            Json{{"scaling", {{"rows", "x"}}}, {"points", none}}, nameless,
                            Json{{"scaling", Scaling{}}, {"points", {3, "x"}}}, Json{{"scaling", Scaling{}}}}) {
    const auto report = report_of(sweep);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().kind, ErrorKind::kUsage);
    EXPECT_NE(report.error().message.find("sweep.json"), std::string::npos);
  }
}

}  // namespace
}  // namespace aaco::report
