// SPDX-License-Identifier: MIT
#include "kind/sweep/report/training_study_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files/file.h"
#include "base/files/temporary_folder.h"
#include "base/json/json.h"
#include "kind/sweep/sweep_kinds.h"
#include "kind/training/report/test_training.h"
#include "report/sinks.h"
#include "report/test_markup.h"
#include "session/bundle/layout.h"

namespace aaco::report {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

// Version 4 in half of version 1's time; version 2 ran out of memory, version 3 lost its gradients.
TrainingStudyDocument study() {
  TrainingStudyDocument study;
  study.bundle = "s/study";
  for (int32_t version = 1; version <= 4; ++version) {
    StudyCell& cell = study.cells.emplace_back();
    TrainingRunDocument run = test::training_document();
    run.request.version = version;
    cell.request = run.request;
    cell.bundle = "s/d/cell" + std::to_string(version);
    if (version == 2 || version == 3) {
      cell.outcome = version == 2 ? StudyOutcome::kDidNotFit : StudyOutcome::kFailed;
      cell.reason = version == 2 ? "out of <memory>" : "no gradient";
      continue;
    }
    for (TrainingProcess& process : run.processes) {
      process.wall_ns *= version == 1 ? 2 : 1;
    }
    run.figures = training_figures(run.work, run.processes, run.roof);
    cell.outcome = StudyOutcome::kMeasured;
    cell.run = std::move(run);
  }
  return study;
}

TEST(TrainingStudyReport, HasARowForEveryCombination) {
  const std::string text = render_lines(build_training_study_summary(study()));
  EXPECT_THAT(text, AllOf(HasSubstr("200.0 ms"), HasSubstr("100.0 ms"), ContainsRegex("2 \\[2, 2\\] +V1"),
                          HasSubstr("15.0 %"), HasSubstr("s/d/cell4")));
  EXPECT_THAT(text, AllOf(HasSubstr("nano V2, bf16, 4 x 64 tokens: did not fit: out of <memory>"),
                          HasSubstr("nano V3, bf16, 4 x 64 tokens: failed: no gradient")));
  const std::string csv = render_csv(build_training_study_summary(study()));
  EXPECT_THAT(csv, AllOf(HasSubstr("did not fit"), HasSubstr("tokens/s,1280.0,tokens/s")));
}

TEST(TrainingStudyReport, IsAPageWithCharts) {
  OpenSession session = test::training_session(test::training_document());
  session.info.kind = kTrainingStudy.traits;
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  session.path = folder->path();
  ASSERT_TRUE(make_folders(session.path / "metrics"));
  ASSERT_TRUE(write_json(session.path / layout::kTraining, Json(study())));
  const auto report = training_study_report(session);
  ASSERT_TRUE(report) << report.error().message;
  const std::string page = render_html(*report);
  EXPECT_EQ(test::markup_problem(page), "");
  EXPECT_THAT(page, AllOf(HasSubstr("2 of 4 combinations measured"), HasSubstr("study-tokens"),
                          HasSubstr("study-speedups"), HasSubstr("out of &lt;memory&gt;"), Not(HasSubstr("<memory>"))));
  const auto charts = charts_of(*report);
  ASSERT_EQ(charts.size(), 2U);
  EXPECT_EQ(charts[0]->y.categories.size(), 2U) << "bars of what was measured only";
  EXPECT_EQ(charts[1]->y.categories.size(), 1U);
}

TEST(TrainingStudyReport, RefusesADamagedFile) {
  OpenSession session = test::training_session(test::training_document());
  session.info.kind = kTrainingStudy.traits;
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  session.path = folder->path();
  ASSERT_TRUE(make_folders(session.path / "metrics"));
  ASSERT_TRUE(write_json(session.path / layout::kTraining, Json(test::training_document())));
  EXPECT_EQ(training_study_report(session).error().kind, ErrorKind::kUsage);
}

}  // namespace
}  // namespace aaco::report
