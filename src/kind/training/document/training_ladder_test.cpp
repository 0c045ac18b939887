// SPDX-License-Identifier: MIT
#include "kind/training/document/training_ladder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json/json.h"

namespace aaco {
namespace {

using testing::HasSubstr;

// Processes of 10 steps each, which take so many ms a step.
TrainingRunDocument run_of(int32_t version, const std::vector<int64_t>& step_ms) {
  TrainingRunDocument run;
  run.request.version = version;
  run.request.device = "cpu:0";
  run.bundle = "s/v" + std::to_string(version);
  run.work.operations = 100 / version;
  for (const int64_t ms : step_ms) {
    TrainingProcess& process = run.processes.emplace_back();
    process.steps = 10;
    process.wall_ns = 10 * ms * 1'000'000;
  }
  return run;
}

// 8, 16 and 32 ms beside 4, 8 and 16: twice as fast in each process, however much processes differ.
TEST(TrainingLadder, RatiosAreOfProcessesThatRanBesideEachOther) {
  const TrainingLadder ladder = training_ladder({run_of(1, {8, 16, 32}), run_of(2, {4, 8, 16}), run_of(4, {2, 4, 8})});
  ASSERT_EQ(ladder.rows.size(), 3U);
  EXPECT_FALSE(ladder.rows[0].speedup);
  EXPECT_DOUBLE_EQ(ladder.rows[1].speedup->value, 2);
  EXPECT_DOUBLE_EQ(ladder.rows[2].speedup->value, 4) << "over the first";
  EXPECT_DOUBLE_EQ(ladder.rows[2].speedup_step->value, 2) << "over the one before";
  ASSERT_TRUE(ladder.rows[1].speedup->interval);
  EXPECT_NEAR(ladder.rows[1].speedup->interval->low, 2, 1e-9);
  EXPECT_NEAR(ladder.rows[1].speedup->interval->high, 2, 1e-9);
  EXPECT_EQ(ladder.rows[2].version, 4);
  EXPECT_EQ(ladder.rows[2].bundle, "s/v4");
  EXPECT_EQ(ladder.rows[2].operations, 25);
  EXPECT_EQ(ladder.not_comparable, "");
}

TEST(TrainingLadder, HasKernelsAndLaunchesWhereTheDeviceWasRecorded) {
  TrainingRunDocument recorded = run_of(2, {4});
  recorded.activity = TrainingActivity{5, 50, 10, 0, 0, 0.5, {}};
  const TrainingLadder ladder = training_ladder({run_of(1, {8}), recorded});
  EXPECT_FALSE(ladder.rows[0].kernels);
  EXPECT_EQ(ladder.rows[1].kernels, 10);
  EXPECT_EQ(ladder.rows[1].launches, 2);
  EXPECT_TRUE(Json(ladder)["versions"][0]["launches_per_step"].is_null());
}

TEST(TrainingLadder, AnIntervalNeedsThreeProcesses) {
  const TrainingLadder two = training_ladder({run_of(1, {8, 16}), run_of(2, {4, 8})});
  EXPECT_DOUBLE_EQ(two.rows[1].speedup->value, 2);
  EXPECT_FALSE(two.rows[1].speedup->interval);
  // 2, 4 and 8 times as fast: the median, and an interval about it.
  const TrainingLadder three = training_ladder({run_of(1, {8, 16, 32}), run_of(2, {4, 4, 4})});
  EXPECT_DOUBLE_EQ(three.rows[1].speedup->value, 4);
  ASSERT_TRUE(three.rows[1].speedup->interval);
  EXPECT_LT(three.rows[1].speedup->interval->low, 2);
  EXPECT_GT(three.rows[1].speedup->interval->high, 8);
}

TEST(TrainingLadder, AProcessWithoutStepsHasNoRatio) {
  TrainingRunDocument empty = run_of(2, {4});
  empty.processes[0].steps = 0;
  EXPECT_FALSE(training_ladder({run_of(1, {8}), empty}).rows[1].speedup);
  EXPECT_FALSE(training_ladder({run_of(1, {8}), run_of(2, {})}).rows[1].speedup);
}

TEST(TrainingLadder, SaysWhyVersionsAreNotComparable) {
  const auto reason = [](void (*change)(TrainingRequest& request)) {
    TrainingRunDocument other = run_of(2, {4});
    change(other.request);
    return training_ladder({run_of(1, {8}), other}).not_comparable;
  };
  EXPECT_EQ(reason([](TrainingRequest& request) { request.dispatch = "graph"; }), "") << "a version's own matter";
  EXPECT_EQ(reason([](TrainingRequest& request) { request.length = 7; }), "versions 1 and 2: their sizes differ");
  EXPECT_THAT(reason([](TrainingRequest& request) { request.precision = "bf16"; }), HasSubstr("precision"));
  EXPECT_THAT(reason([](TrainingRequest& request) { request.rate = 1; }), HasSubstr("optimiser"));
  EXPECT_THAT(reason([](TrainingRequest& request) { request.device = "cuda:0"; }), HasSubstr("different devices"));
}

// The same id on another machine, or behind another driver's order.
TEST(TrainingLadder, OneIdMayBeTwoDevices) {
  const auto on = [](int32_t version, const std::string& name, const std::string& architecture) {
    TrainingRunDocument run = run_of(version, {8});
    run.device = DeviceFacts();
    run.device->name = name;
    run.device->architecture = architecture;
    return run;
  };
  const auto reason = [&](const TrainingRunDocument& first, const TrainingRunDocument& other) {
    return training_ladder({first, other}).not_comparable;
  };
  EXPECT_EQ(reason(on(1, "A100", "sm_80"), on(2, "H200", "sm_90")),
            "versions 1 and 2: they ran on different devices: A100 (sm_80) and H200 (sm_90)");
  EXPECT_THAT(reason(on(1, "card", "gfx90a"), on(2, "card", "gfx942")), HasSubstr("different devices"));
  EXPECT_EQ(reason(on(1, "H200", "sm_90"), on(2, "H200", "sm_90")), "");
  EXPECT_EQ(reason(on(1, "H200", ""), on(2, "H200", "sm_90")), "") << "what is not known does not differ";
  EXPECT_EQ(reason(run_of(1, {8}), on(2, "H200", "sm_90")), "");
}

TEST(TrainingLadder, IsWrittenAsJson) {
  const Json json = Json(training_ladder({run_of(1, {8}), run_of(2, {4})}));
  EXPECT_EQ(json["kind"], "training_ladder");
  EXPECT_TRUE(json["not_comparable"].is_null());
  EXPECT_TRUE(json["versions"][0]["speedup"].is_null());
  EXPECT_EQ(json["versions"][1]["speedup_over_version_before"]["value"], 2.0);
  EXPECT_TRUE(json["versions"][1]["mfu"].is_null());
}

}  // namespace
}  // namespace aaco
