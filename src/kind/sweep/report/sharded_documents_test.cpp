// SPDX-License-Identifier: MIT
// What a terminal shows of copies beside products, of a sweep and of weak scaling.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kind/copy/copy_report.h"
#include "kind/sharded/report/scaling_report.h"
#include "kind/sharded/report/sharded_plots.h"
#include "kind/sweep/report/sharded_sweep_report.h"
#include "report/sinks.h"

namespace aaco::report {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

CopyDocument copies() {
  CopyDocument document;
  document.bundle = "sessions/one";
  document.request.matrix_size = 256;
  document.request.copy_mb = 4;
  document.device_name = "a device";
  document.directions = {copy_figures(CopyDirection::kDeviceToHost, {{15e6, 11e6, 10e6, 5e6}, {15e6, 11e6, 10e6, 5e6}}),
                         copy_figures(CopyDirection::kHostToDevice, {{20e6, 10e6, 9e6, 5e6}})};
  return document;
}

TEST(CopyText, SaysWhatWasSavedAndWhatCannotBe) {
  const std::string text = render_text(build_copy_summary(copies()));
  EXPECT_THAT(text, AllOf(HasSubstr("4.000 ms"), HasSubstr("26.7 %"), HasSubstr("80.0 %"), HasSubstr("839 MB/s")))
      << "4 of 15 saved, of 5 that could be; 4 MiB in 5 ms";
  EXPECT_THAT(text, HasSubstr("h2d: more was saved than the shorter of both takes alone"));
  EXPECT_THAT(text, HasSubstr("No data: this device has no collector"));
  EXPECT_THAT(text, HasSubstr("bundle  sessions/one"));
}

TEST(CopyText, RecordsAreThoseOfTheirDirection) {
  CopyDocument document = copies();
  document.directions[1].records = CopyRecords{10, 10, 7, 5e6, 0.25, "engine 3"};
  const std::string text = render_text(build_copy_summary(document));
  EXPECT_THAT(text, AllOf(HasSubstr("25.0 %"), HasSubstr("engine 3"), Not(HasSubstr("No data: this device"))));
}

TEST(CopyChart, HasABarForEachVariant) {
  const plot::Chart chart = copy_chart(copies());
  ASSERT_EQ(chart.series.size(), 1);
  EXPECT_EQ(chart.series[0].x, (std::vector<double>{10e6, 5e6, 15e6, 11e6, 9e6, 5e6, 20e6, 10e6}));
  EXPECT_EQ(chart.y.categories[3], "d2h, overlapped");
}

ShardedSweepPoint point_of(const std::string& change, std::vector<double> step_ns) {
  ShardedSweepPoint point;
  point.change = change;
  point.step_ns = std::move(step_ns);
  return point;
}

TEST(ShardedSweepText, SaysWhatEachChangeDidAndWhyNot) {
  ShardedSweepPoint failed = point_of("c=9", {});
  failed.failure = "c 9: not from 1 to 3";
  const ShardedSweep sweep = judge_sweep({point_of("", {100, 101, 99, 100, 102}), point_of("a=1", {80, 81, 79, 80, 82}),
                                          point_of("b=1", {70, 150, 99, 130, 80}), failed},
                                         5);
  const std::string text = render_text(build_sharded_sweep_summary(sweep));
  EXPECT_THAT(text, AllOf(HasSubstr("Best: a=1"), HasSubstr("faster"), HasSubstr("not measured")));
  EXPECT_THAT(text, HasSubstr("c=9: c 9: not from 1 to 3"));
  EXPECT_THAT(text, HasSubstr("b=1: not shown to change anything: "));
  EXPECT_THAT(text, HasSubstr("5 rounds of 4 configurations"));
  EXPECT_EQ(sweep_step_chart(sweep).y.categories, (std::vector<std::string>{"as it is", "a=1", "b=1"}));
}

TEST(ShardedSweepText, NoneThatIsFaster) {
  EXPECT_THAT(render_text(build_sharded_sweep_summary(
                  judge_sweep({point_of("", {100, 101, 99}), point_of("a=1", {100, 101.1, 99})}, 3))),
              HasSubstr("None is shown to be faster"));
}

TEST(ScalingReport, WhatIsPredictedIsCalledSo) {
  WeakScaling scaling;
  scaling.assumption = "Predicted from 2 ranks.";
  RankScaling measured;
  measured.ranks = 2;
  measured.sessions = {"sessions/two"};
  measured.step_ns = 100e6;
  measured.step_between_ns = {100e6, 100e6};
  RankScaling predicted;
  predicted.ranks = 4;
  predicted.predicted = true;
  predicted.sessions = measured.sessions;
  predicted.step_between_ns = {100e6, 115e6};
  predicted.transfer_ns = 45e6;
  predicted.efficiency = Interval{0.8, 0.9};
  scaling.rows = {measured, predicted};
  const std::string text = render_text(build_scaling_report(scaling));
  EXPECT_THAT(text, AllOf(HasSubstr("measured"), HasSubstr("predicted"), HasSubstr("100.0 ms to 115.0 ms")));
  EXPECT_THAT(text, AllOf(HasSubstr("80.0 % to 90.0 %"), HasSubstr("Predicted from 2 ranks."),
                          HasSubstr("2 ranks: sessions/two"), Not(HasSubstr("4 ranks: "))));
  scaling.assumption = "";
  scaling.not_predicted = "one rank has no collectives: measure two";
  EXPECT_THAT(render_text(build_scaling_report(scaling)), HasSubstr("Nothing is predicted: one rank"));
}

}  // namespace
}  // namespace aaco::report
