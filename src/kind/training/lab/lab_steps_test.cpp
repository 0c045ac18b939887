// SPDX-License-Identifier: MIT
#include "kind/training/lab/lab_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

namespace aaco {
namespace {

// Processes of 10 steps each, which take so many ms a step.
TrainingRunDocument run_of(const std::vector<int64_t>& step_ms) {
  TrainingRunDocument run;
  run.bundle = "s/run";
  for (const int64_t ms : step_ms) {
    TrainingProcess& process = run.processes.emplace_back();
    process.steps = 10;
    process.wall_ns = 10 * ms * 1'000'000;
  }
  return run;
}

TEST(SpeedupText, HasTheIntervalOfSeveralProcesses) {
  EXPECT_EQ(*speedup_text(run_of({8, 16, 32}), run_of({4, 8, 16})), "2.00 [2.00, 2.00]");
  EXPECT_THAT(*speedup_text(run_of({8, 16, 32}), run_of({4, 4, 4})),
              testing::MatchesRegex("4\\.00 \\[-?[0-9.]+, [0-9.]+\\]"));
}

TEST(SpeedupText, SaysThatFewProcessesHaveNone) {
  EXPECT_EQ(*speedup_text(run_of({5}), run_of({4})), "1.25 (one process: no interval)");
  EXPECT_EQ(*speedup_text(run_of({5, 5}), run_of({4, 4})), "1.25 (2 processes: no interval)");
  const auto none = speedup_text(run_of({}), run_of({4}));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::kUnavailable);
}

}  // namespace
}  // namespace aaco
