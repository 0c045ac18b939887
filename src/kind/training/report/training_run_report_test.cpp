// SPDX-License-Identifier: MIT
// The page and the text of a training run: the figures that follow from a known document, and what is said where there
// are none.
#include "kind/training/report/training_run_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <string>

#include "base/json/json.h"
#include "kind/training/report/test_training.h"
#include "report/plot/svg.h"
#include "report/sinks.h"
#include "report/test_markup.h"

namespace aaco::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Result<Report> report_of(const TrainingRunDocument& document, SessionStatus status = SessionStatus::kComplete) {
  return build_training_run_report(test::training_session(document, status), Json(document));
}

std::string html_of(const Result<Report>& report) {
  EXPECT_TRUE(report) << report.error().message;
  const std::string html = report ? render_html(*report) : "";
  EXPECT_EQ(test::markup_problem(html), "");
  return html;
}

const plot::Chart* chart_of(const Report& report, const std::string& id) {
  const auto charts = charts_of(report);
  const auto found = std::find_if(charts.begin(), charts.end(), [&](const auto* chart) { return chart->id == id; });
  return found == charts.end() ? nullptr : *found;
}

const TableBlock* table_of(const Report& report, const std::string& id) {
  for (const Section& section : report.sections) {
    for (const Block& block : section.blocks) {
      if (const auto* table = std::get_if<TableBlock>(&block); table != nullptr && table->id == id) {
        return table;
      }
    }
  }
  return nullptr;
}

const Section* section_of(const Report& report, const std::string& id) {
  const auto found = std::find_if(report.sections.begin(), report.sections.end(),
                                  [&](const Section& section) { return section.id == id; });
  return found == report.sections.end() ? nullptr : &*found;
}

TEST(TrainingRunReport, ShowsFiguresOfWhatProcessesLeft) {
  const auto report = report_of(test::training_document());
  const std::string html = html_of(report);
  // 10 steps of 256 tokens in 1 s: 2560 tokens/s, and 3 GFLOP a step against 100 GFLOP/s.
  for (const char* part :
       {"Tiny LLaMA, version 4, nano, bf16 on cpu:0 (A &amp; B)", "2560 tokens/s", "40 samples/s", "30.0 %",
        "100 GFLOP/s of bf16 products, 2048 x 2048", "6.9 -&gt; 2", "2 of 2 passed", "residual bf16, sums fp32",
        "AdamW, rate 0.0003, weight decay 0.01", "queries, keys &amp; values by one product"}) {
    EXPECT_THAT(html, HasSubstr(part));
  }
  EXPECT_EQ(section_of(*report, "gates")->badges.at(0).tone, Tone::kGood);
  ASSERT_NE(chart_of(*report, "latency-series"), nullptr);
  EXPECT_TRUE(plot::has_data(*chart_of(*report, "latency-series")));
}

TEST(TrainingRunReport, PartsAddUpBesideTheStep) {
  const auto report = report_of(test::training_document());
  const TableBlock& parts = *table_of(*report, "parts");
  ASSERT_EQ(parts.rows.size(), 3U);
  EXPECT_EQ(sort_key(parts.rows[0][5]), 6e7);
  EXPECT_DOUBLE_EQ(sort_key(parts.rows[0][6]).value_or(0), 75) << "60 of 80 ms";
  EXPECT_DOUBLE_EQ(sort_key(parts.rows[0][7]).value_or(0), 2.4e9 / 0.06);
  EXPECT_EQ(shown_text(parts.rows[2][7]), "none") << "no FLOPs, no rate of them";
  const TableBlock& phases = *table_of(*report, "phases");
  ASSERT_EQ(phases.rows.size(), 4U);
  EXPECT_EQ(sort_key(phases.rows[0][4]), 6.5e7) << "the forward phase as a whole";
  EXPECT_EQ(shown_text(phases.rows[1][4]), "not timed");
  EXPECT_EQ(shown_text(phases.rows[3][0]), "the whole step");
  EXPECT_EQ(sort_key(phases.rows[3][4]), 1e8) << "the measured step";
  EXPECT_EQ(sort_key(phases.rows[3][5]), 8e7) << "its parts";
}

TEST(TrainingRunReport, ThePartsLieUnderTheRoofs) {
  TrainingRunDocument document = test::training_document();
  const auto with_roof = report_of(document);
  const plot::Chart& chart = *chart_of(*with_roof, "part-roofline");
  ASSERT_EQ(chart.series.size(), 3U) << "forward, backward, the roof; a part without FLOPs has no point";
  EXPECT_DOUBLE_EQ(chart.series[0].x.at(0), 4);
  EXPECT_DOUBLE_EQ(chart.series[0].y.at(0), 4e10);
  EXPECT_EQ(chart.series[0].labels.at(0), "forward, products: 40.0 GFLOP/s, 4 FLOP/B");
  EXPECT_EQ(chart.series[2].y, (std::vector<double>{1e11, 1e11}));
  document.roof.reset();
  const auto without = report_of(document);
  EXPECT_EQ(chart_of(*without, "part-roofline")->series.size(), 2U);
  EXPECT_THAT(html_of(without), HasSubstr("the device&#39;s products were not measured"));
}

TEST(TrainingRunReport, PartsThatWereNotTimedHaveNoTimes) {
  TrainingRunDocument document = test::training_document();
  for (TrainingProcess& process : document.processes) {
    process.parts.clear();
  }
  const auto report = report_of(document);
  EXPECT_THAT(html_of(report), HasSubstr("No part was timed alone: the run ended before."));
  EXPECT_EQ(shown_text(table_of(*report, "parts")->rows[0][5]), "not timed");
  EXPECT_EQ(shown_text(table_of(*report, "phases")->rows[3][5]), "3 not timed");
  EXPECT_FALSE(plot::has_data(*chart_of(*report, "part-roofline")));
}

TEST(TrainingRunReport, NothingIsSaidOfSpeedWhereAGateFailed) {
  TrainingRunDocument document = test::training_document();
  document.gates[1] = {"grad<ients", false, "largest error 0.1", "at most 1e-04"};
  const auto report = report_of(document);
  const std::string html = html_of(report);
  EXPECT_THAT(html, AllOf(HasSubstr("No speed is shown, since what was computed is not what should be: grad"),
                          HasSubstr("1 of 2 passed"), HasSubstr("<b class=\"w\">1 of 2</b>"),
                          HasSubstr("grad&lt;ients: found largest error 0.1, must be at most 1e-04")));
  EXPECT_THAT(html, AllOf(Not(HasSubstr("tokens/s")), Not(HasSubstr("MFU")), Not(HasSubstr("median step"))));
  for (const char* section : {"figures", "parts", "latency"}) {
    EXPECT_EQ(section_of(*report, section), nullptr) << section;
  }
  EXPECT_EQ(table_of(*report, "gates")->rows.at(1).at(1).tone, Tone::kBad);
  EXPECT_THAT(render_text(build_training_run_summary(document)),
              AllOf(HasSubstr("No speed is shown"), Not(HasSubstr("tokens/s"))));
}

TEST(TrainingRunReport, ALineForEachProcessWhereLossesDiffer) {
  TrainingRunDocument document = test::training_document();
  const auto same = report_of(document);
  EXPECT_EQ(chart_of(*same, "loss")->series.size(), 1U);
  EXPECT_EQ(chart_of(*same, "loss")->series[0].x.size(), 12U);
  EXPECT_THAT(chart_of(*same, "loss")->caption, HasSubstr("The same in all 3 processes, bit by bit"));
  document.processes[1].losses[3] = 5;
  const auto differing = report_of(document);
  EXPECT_EQ(chart_of(*differing, "loss")->series.size(), 3U);
  EXPECT_THAT(chart_of(*differing, "loss")->caption, HasSubstr("Processes differ"));
}

TEST(TrainingRunReport, ATrainingThatDivergedIsSaidToHave) {
  TrainingRunDocument document = test::training_document();
  for (TrainingProcess& process : document.processes) {
    process.losses.back() = std::numeric_limits<double>::quiet_NaN();
  }
  const std::string html = html_of(report_of(document));
  EXPECT_THAT(html, HasSubstr("not what should be: the loss of step 12 is no number: the training diverged"));
  EXPECT_THAT(html, AllOf(Not(HasSubstr("tokens/s")), Not(HasSubstr("median step")), Not(HasSubstr("MFU"))));
}

TEST(TrainingRunReport, SaysWhatEndedEarlyAndWhatWasNotChecked) {
  TrainingRunDocument document = test::training_document();
  document.gates.clear();
  document.processes[0].stationary = false;
  document.processes[2].interrupted = true;
  document.roof->flops_per_s = 1e10;
  const std::string html = html_of(report_of(document, SessionStatus::kFailed));
  for (const char* part : {"This session is failed: the device is &lt;gone&gt;", "Nothing was checked",
                           "The steps of 1 of 3 processes show a trend", "1 of 3 processes were interrupted",
                           "An MFU above 100 % is suspect"}) {
    EXPECT_THAT(html, HasSubstr(part));
  }
  document.processes.clear();
  document.work.parts.clear();
  const std::string empty = html_of(report_of(document, SessionStatus::kFailed));
  EXPECT_THAT(empty, AllOf(HasSubstr("no step was measured"), HasSubstr("no process was measured"),
                           HasSubstr("the step&#39;s operations were not counted")));
}

// Fewer steps than the test for a trend takes show none.
TEST(TrainingRunReport, FewStepsAreNeitherSteadyNorATrend) {
  TrainingRunDocument document = test::training_document();
  document.request.steps = 9;
  for (TrainingProcess& process : document.processes) {
    process.steps = 9;
    process.stationary = false;
  }
  const auto report = report_of(document);
  EXPECT_THAT(html_of(report),
              AllOf(HasSubstr("9 steps are too few to tell whether they are steady: --num-steps 10 or more."),
                    Not(HasSubstr("show a trend"))));
  EXPECT_EQ(shown_text(table_of(*report, "training-processes")->rows.at(0).at(3)), "not known");
  document.request.steps = 10;  // the first process was interrupted behind nine of them
  for (size_t i = 1; i < document.processes.size(); ++i) {
    document.processes[i].steps = 10;
  }
  EXPECT_THAT(html_of(report_of(document)),
              AllOf(HasSubstr("The steps of 2 of 3 processes show a trend"), Not(HasSubstr("are too few"))));
}

TEST(TrainingRunReport, TheTextSaysWhatThePageSays) {
  const std::string text = render_text(build_training_run_summary(test::training_document()));
  for (const char* part : {"Tiny LLaMA, version 4, nano, bf16 on cpu:0 (A & B)", "tokens/s", "2560", "30.0 %",
                           "2 of 2 passed", "products", "60.00 ms", "bundle  s/d/run"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(TrainingRunReport, DamagedDocumentsAreRefused) {
  const TrainingRunDocument document = test::training_document();
  const OpenSession session = test::training_session(document);
  EXPECT_FALSE(build_training_run_report(session, Json::array()));
  Json broken = Json(document);
  broken["processes"][0]["wall_ns"] = -1;
  const auto report = build_training_run_report(session, broken);
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message, HasSubstr("metrics/training.json: process 0 has a figure that no run can give"));
}

// A run that was ended before it had figures still has a page.
TEST(TrainingRunReport, WithoutADocument) {
  OpenSession session = test::training_session(test::training_document(), SessionStatus::kInterrupted);
  session.path = "no/such/session";
  EXPECT_THAT(html_of(training_run_report(session)), HasSubstr("the session ended before it had figures"));
  session.status = SessionStatus::kComplete;
  EXPECT_FALSE(training_run_report(session));
}

}  // namespace
}  // namespace aaco::report
