// SPDX-License-Identifier: MIT
#include "kind/training/report/training_ladder_report.h"

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

// Version 4 in half of version 1's time, in each of three processes.
std::vector<TrainingRunDocument> two_runs() {
  std::vector<TrainingRunDocument> runs = {test::training_document(), test::training_document()};
  runs[0].request.version = 1;
  for (TrainingProcess& process : runs[0].processes) {
    process.wall_ns *= 2;
  }
  runs[0].figures = training_figures(runs[0].work, runs[0].processes, runs[0].roof);
  return runs;
}

TEST(TrainingLadderReport, ShowsWhatEachVersionBought) {
  const Report report = build_training_ladder_report(training_ladder(two_runs()));
  const std::string text = render_lines(report);
  EXPECT_THAT(text, AllOf(HasSubstr("V1 "), HasSubstr("200.0 ms"), HasSubstr("V4 "), HasSubstr("100.0 ms"),
                          HasSubstr("2 [2, 2]"), HasSubstr("15.0 %"), HasSubstr("30.0 %"), HasSubstr("V4: s/d/run"),
                          Not(HasSubstr("cannot be compared"))));
  EXPECT_EQ(test::markup_problem(render_html(report)), "");
}

TEST(TrainingLadderReport, SaysWhatIsNotKnownOrNotComparable) {
  std::vector<TrainingRunDocument> runs = two_runs();
  runs[1].request.length = 1;
  runs[1].processes.clear();
  runs[1].figures = training_figures(runs[1].work, {}, {});
  const std::string text = render_lines(build_training_ladder_report(training_ladder(runs)));
  EXPECT_THAT(text, AllOf(HasSubstr("Their speeds cannot be compared: versions 1 and 4: their sizes differ."),
                          HasSubstr("not measured"), HasSubstr("not known")));
}

}  // namespace
}  // namespace aaco::report
