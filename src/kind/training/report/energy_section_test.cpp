// SPDX-License-Identifier: MIT
// Power and joules of a training, in its report and in the ladder of versions: known figures, and unknown ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json/json.h"
#include "kind/training/report/test_training.h"
#include "kind/training/report/training_ladder_report.h"
#include "kind/training/report/training_sections.h"
#include "report/sinks.h"
#include "report/test_markup.h"

namespace aaco::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Steps of 100 ms and 256 tokens at `watts`.
TrainingRunDocument document_at(double watts) {
  TrainingRunDocument document = test::training_document();
  for (TrainingProcess& process : document.processes) {
    process.power = TrainingPower{watts, 20, "board, NVML", ""};
  }
  document.figures = training_figures(document.work, document.processes, document.roof);
  return document;
}

std::string text_of(const TrainingRunDocument& document) {
  Report report;
  report.sections = {training_energy_section(training_view(document))};
  EXPECT_EQ(test::markup_problem(render_html(report)), "");
  return render_text(report);
}

TEST(TrainingEnergySection, ShowsPowerAndJoules) {
  TrainingRunDocument document = document_at(512);
  DeviceClocks clocks;
  clocks.device = "0000:1b:00.0";
  clocks.core_clock_p50_mhz = 1980;
  document.clocks = {clocks};
  EXPECT_THAT(text_of(document), AllOf(HasSubstr("512 W"), HasSubstr("51.2 J"), HasSubstr("200 mJ"),
                                       HasSubstr("board, NVML"), HasSubstr("0000:1b:00.0"), HasSubstr("1.98 GHz")));
}

TEST(TrainingEnergySection, UnknownHasAReasonAndNoFigure) {
  TrainingRunDocument document = test::training_document();
  EXPECT_THAT(text_of(document), AllOf(HasSubstr("Unknown: power was not sampled."), Not(HasSubstr("0 J"))));
  for (TrainingProcess& process : document.processes) {
    process.power = TrainingPower{{}, 0, "", "the device does not tell its power"};
  }
  EXPECT_THAT(text_of(document), HasSubstr("Unknown: the device does not tell its power."));
  document.request.telemetry = false;
  EXPECT_THAT(text_of(document), HasSubstr("told not to sample (--no-telemetry)"));
}

TEST(TrainingEnergySection, TheLadderHasAColumnABarAndJson) {
  const TrainingLadder ladder = training_ladder({document_at(256), document_at(512)});
  const std::string text = render_lines(build_training_ladder_report(ladder));
  EXPECT_THAT(text, AllOf(HasSubstr("joules per token"), HasSubstr("256 W [256 W, 256 W]"),
                          HasSubstr("100 mJ [100 mJ, 100 mJ]"), HasSubstr("200 mJ [200 mJ, 200 mJ]")));
  EXPECT_THAT(render_html(build_training_ladder_report(ladder)), HasSubstr("Energy per token"));
  EXPECT_DOUBLE_EQ(Json(ladder).at("versions").at(1).at("energy").at("joules_per_step").at("value").get<double>(),
                   51.2);
}

TEST(TrainingEnergySection, InTheLadderUnknownIsUnknown) {
  const TrainingLadder ladder = training_ladder({test::training_document(), document_at(512)});
  EXPECT_THAT(render_lines(build_training_ladder_report(ladder)), AllOf(HasSubstr("unknown"), HasSubstr("200 mJ")));
  EXPECT_TRUE(Json(ladder).at("versions").at(0).at("energy").at("joules_per_token").is_null());
  const TrainingLadder none = training_ladder({test::training_document()});
  EXPECT_THAT(render_html(build_training_ladder_report(none)), Not(HasSubstr("Energy per token")));
}

}  // namespace
}  // namespace aaco::report
