// SPDX-License-Identifier: MIT
#include "kind/queue_probe/analysis/record_check.h"

#include <gtest/gtest.h>

#include "base/json/json.h"

namespace aaco {
namespace {

constexpr int64_t kOffset = 5'000'000'000;  // session clock - device clock

// Ten kernels of 20, 21, ... us, 50 us apart; the record begins `before` and ends `after` its kernel's own readings.
RecordRun run_of(int64_t before, int64_t after) {
  RecordRun run;
  run.clock_step_ns = 32;
  for (int64_t i = 0; i < 10; ++i) {
    const int64_t start = 50'000 * i;
    const int64_t end = start + 20'000 + 1'000 * i;
    run.kernels.push_back({start + kOffset - before, end + kOffset + after, start, end});
  }
  run.launched = 10;
  return run;
}

TEST(RecordCheck, RecordsThatReachAroundTheirKernelsAgree) {
  const std::vector<RecordRun> runs{run_of(700, 300), run_of(800, 400), run_of(900, 500)};
  const RecordCheck check = record_check(runs);
  EXPECT_EQ(agreement_text(check.agreement), "agree");
  EXPECT_EQ(check.kernels, 30);
  EXPECT_EQ(*check.excess.value, 1'200);  // 1000, 1200, 1400
  EXPECT_EQ(*check.room_ns, 1'000);       // the least: 700 + 300
}

TEST(RecordCheck, OneOffsetForAllIsNoDisagreement) {
  RecordRun run = run_of(0, 0);
  for (RecordedKernel& kernel : run.kernels) {
    kernel.record_start_ns += 123'456;
    kernel.record_end_ns += 123'456;
  }
  EXPECT_EQ(agreement_text(record_check(std::vector{run, run, run}).agreement), "agree");
}

TEST(RecordCheck, AKernelOutsideOfItsRecordDisagrees) {
  RecordRun run = run_of(100, 100);
  run.kernels[4].record_start_ns += 1'000;  // begins 900 ns late: the room is 200 - 1000
  const RecordCheck check = record_check(std::vector{run, run, run});
  EXPECT_EQ(*check.room_ns, -800);
  EXPECT_EQ(agreement_text(check.agreement).rfind("disagree: ", 0), 0U) << agreement_text(check.agreement);
  EXPECT_NE(agreement_text(check.agreement).find("800 ns"), std::string::npos) << agreement_text(check.agreement);
}

TEST(RecordCheck, AStepOfTheClockIsNoDisagreement) {
  RecordRun run = run_of(0, 0);
  run.kernels[4].record_start_ns += 32;
  EXPECT_EQ(agreement_text(record_check(std::vector{run, run, run}).agreement), "agree");
  run.kernels[4].record_start_ns += 1;
  EXPECT_NE(agreement_text(record_check(std::vector{run, run, run}).agreement), "agree");
}

TEST(RecordCheck, LostAndMissingRecordsAreNoData) {
  RecordRun lost = run_of(1, 1);
  lost.dropped = 3;
  EXPECT_EQ(agreement_text(record_check(std::vector{lost}).agreement), "no data: the collector lost 3 records");
  EXPECT_FALSE(record_check(std::vector{lost}).excess.value);
  RecordRun missing = run_of(1, 1);
  missing.kernels.pop_back();
  EXPECT_EQ(agreement_text(record_check(std::vector{missing}).agreement),
            "no data: 10 kernels were launched, and not as many recorded");
  RecordRun none;
  none.unavailable = "no collector here";
  EXPECT_EQ(agreement_text(record_check(std::vector{none}).agreement), "no data: no collector here");
  EXPECT_EQ(agreement_text(record_check({}).agreement), "no data: no process");
}

TEST(RecordCheck, JsonRoundTrip) {
  const RecordRun run = run_of(5, 7);
  const Json json = run;
  EXPECT_EQ(Json(json.get<RecordRun>()), json);
}

}  // namespace
}  // namespace aaco
