// SPDX-License-Identifier: MIT
#include "kind/training/report/roofline_section.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kind/training/report/test_training.h"
#include "report/sinks.h"
#include "report/test_markup.h"

namespace aaco::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Products of 4 FLOP/B, roofs of 100 GFLOP/s and 50 GB/s: they meet at 2 FLOP/B.
TrainingRunDocument run() {
  TrainingRunDocument document = test::training_document();
  document.memory_roof = MemoryRoof{5e10, "a <triad>"};
  document.work.modules = {{"forward", "mlp", 30, 2.4e9, 6e8}, {"optimizer", "optimizer", 10, 0, 4e8}};
  document.processes[0].modules = {{"forward", "mlp", 6e7}};
  return document;
}

const plot::Chart* chart_of(const Report& report, const std::string& id) {
  for (const plot::Chart* chart : charts_of(report)) {
    if (chart->id == id) {
      return chart;
    }
  }
  return nullptr;
}

TEST(TrainingRoofline, DrawsPointsUnderBothRoofs) {
  const Report report = build_training_roofline_report(run());
  for (const char* id : {"part-roofline", "module-roofline"}) {
    const plot::Chart* chart = chart_of(report, id);
    ASSERT_NE(chart, nullptr) << id;
    EXPECT_DOUBLE_EQ(chart->series[0].x.at(0), 4);
    EXPECT_DOUBLE_EQ(chart->series[0].y.at(0), 4e10);
    EXPECT_THAT(chart->series[0].labels.at(0), HasSubstr("40.0 GFLOP/s, 4 FLOP/B, 40.0 % of its roof"));
    const plot::Series& roof = chart->series.back();
    EXPECT_EQ(roof.name, "roof, bf16");
  }
  // The attention of the backward pass has 2 FLOP/B: the roofs' corner, which lies right of where the line begins.
  const plot::Series& roof = chart_of(report, "part-roofline")->series.back();
  ASSERT_EQ(roof.x.size(), 3U);
  EXPECT_DOUBLE_EQ(roof.x[0], 1);
  EXPECT_DOUBLE_EQ(roof.y[0], 5e10) << "what memory allows at 1 FLOP/B";
  EXPECT_DOUBLE_EQ(roof.x[1], 2);
  EXPECT_DOUBLE_EQ(roof.y[1], 1e11);
  EXPECT_EQ(test::markup_problem(render_html(report)), "");
}

TEST(TrainingRoofline, SaysWhatBindsAndWhatIsReached) {
  const std::string text = render_lines(build_training_roofline_report(run()));
  EXPECT_THAT(text, AllOf(HasSubstr("100 GFLOP/s of bf16 products"), HasSubstr("50.0 GB/s: a <triad>"),
                          HasSubstr("2 FLOP/B: what has less is bound by memory"), HasSubstr("compute"),
                          HasSubstr("memory"), HasSubstr("not timed")));
  EXPECT_THAT(text, Not(HasSubstr("unknown")));
}

TEST(TrainingRoofline, AnUnknownRoofIsUnknown) {
  TrainingRunDocument document = run();
  document.memory_roof.reset();
  const Report report = build_training_roofline_report(document);
  EXPECT_THAT(render_lines(report),
              AllOf(HasSubstr("unknown: not measured"), HasSubstr("unknown"), Not(HasSubstr("100.0 %"))));
  const plot::Chart& chart = *chart_of(report, "module-roofline");
  EXPECT_THAT(chart.caption, HasSubstr("no roof of memory is drawn"));
  EXPECT_EQ(chart.series.back().y, (std::vector<double>{1e11, 1e11}));
  document.roof.reset();
  EXPECT_EQ(chart_of(build_training_roofline_report(document), "module-roofline")->series.size(), 1U);
}

TEST(TrainingRoofline, NothingTimedIsSaid) {
  TrainingRunDocument document = run();
  document.processes.clear();
  const Report report = build_training_roofline_report(document);
  EXPECT_FALSE(plot::has_data(*chart_of(report, "module-roofline")));
  EXPECT_THAT(render_html(report), HasSubstr("no module with FLOPs was timed alone"));
}

}  // namespace
}  // namespace aaco::report
