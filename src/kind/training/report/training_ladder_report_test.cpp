// SPDX-License-Identifier: MIT
#include "kind/training/report/training_ladder_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>

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

LadderRow row_over_the_one_before(int32_t version, std::optional<Estimate> ratio) {
  LadderRow row;
  row.version = version;
  row.step_ns = Estimate{1e6, Interval{0.9e6, 1.1e6}};
  row.speedup_step = ratio;
  return row;
}

std::vector<std::string> findings_of(const std::vector<std::optional<Estimate>>& ratios) {
  TrainingLadder ladder;
  ladder.rows.push_back(row_over_the_one_before(1, std::nullopt));
  for (const std::optional<Estimate>& ratio : ratios) {
    ladder.rows.push_back(row_over_the_one_before(static_cast<int32_t>(ladder.rows.size()) + 1, ratio));
  }
  return build_training_ladder_report(ladder).headline.findings;
}

TEST(TrainingLadderReport, FindsWhatTheIntervalsShow) {
  using testing::ElementsAre;
  EXPECT_THAT(findings_of({Estimate{2, {}}}), ElementsAre()) << "one process shows nothing";
  EXPECT_THAT(findings_of({Estimate{2, Interval{1.5, 2.5}}}),
              ElementsAre("V2 bought most: 2x [1.5x, 2.5x] over the version before it"));
  EXPECT_THAT(findings_of({Estimate{0.8, Interval{0.75, 0.85}}}),
              ElementsAre("slower than the version before: V2, 0.8x [0.75x, 0.85x]"));
  EXPECT_THAT(findings_of({Estimate{1.5, Interval{1.2, 1.8}}, Estimate{0.5, Interval{0.4, 0.6}},
                           Estimate{1.1, Interval{0.9, 1.3}}}),
              ElementsAre(HasSubstr("V2 bought most"), HasSubstr("slower than the version before: V3"),
                          HasSubstr("no gain is shown of V4 ")));
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
