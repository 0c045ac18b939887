// SPDX-License-Identifier: MIT
#include "kind/training/analysis/training_power.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json/json.h"
#include "kind/training/analysis/training_figures.h"

namespace aaco {
namespace {

constexpr const char* kDevice = "0000:1b:00.0";
constexpr int64_t kSecond = 1'000'000'000;

GpuSampleRow sample(int64_t t_ns, std::optional<double> watts, const char* device = kDevice) {
  GpuSampleRow row;
  row.t_ns = t_ns;
  row.device = device;
  row.vendor = gpu_vendor::kNvidia;
  row.power_w = watts;
  return row;
}

// 10 steps of 256 tokens in 2 s.
TrainingProcess process_at(std::optional<double> watts) {
  TrainingProcess one;
  one.steps = 10;
  one.wall_ns = 2 * kSecond;
  one.power = TrainingPower{watts, 3, "board, NVML", watts ? "" : "the device does not tell its power"};
  return one;
}

// A board's figure is a mean over the second before: what is of the time before the steps is left out.
TEST(TrainingPower, IsTheMeanOfSamplesThatAreOfTheStepsAlone) {
  const std::vector<GpuSampleRow> samples = {
      sample(4 * kSecond, 100),
      sample(5 * kSecond + 500'000'000, 200),  // half a second of it is before the steps
      sample(6 * kSecond, 300),
      sample(6 * kSecond + 500'000'000, 500),
      sample(7 * kSecond, 700),
      sample(7 * kSecond + 1, 9000),  // behind the last step
      sample(6 * kSecond, 8000, "0000:5d:00.0"),
  };
  const TrainingPower power = power_of_samples(kDevice, samples, 5 * kSecond, 7 * kSecond);
  EXPECT_EQ(power.mean_w, 500);
  EXPECT_EQ(power.samples, 3);
  EXPECT_EQ(power.source, "board, NVML");
  EXPECT_EQ(power.unavailable, "");
}

TEST(TrainingPower, IsUnknownWithAReasonAndNeverZero) {
  const std::vector<GpuSampleRow> samples = {sample(0, 300), sample(kSecond / 2, 300)};
  const TrainingPower brief = power_of_samples(kDevice, samples, 0, kSecond / 2);
  EXPECT_FALSE(brief.mean_w);
  EXPECT_THAT(brief.unavailable, testing::HasSubstr("took 0.5 s, and a board's power is a mean over up to a second"));
  EXPECT_THAT(brief.unavailable, testing::HasSubstr("2 s are needed, which is --num-steps 4 times as large"));
  const std::vector<GpuSampleRow> few = {sample(kSecond + kSecond / 2, 300)};
  EXPECT_FALSE(power_of_samples(kDevice, few, 0, 2 * kSecond - 1).mean_w)
      << "fewer than ten renewals behind the first second";
  EXPECT_EQ(power_of_samples(kDevice, few, 0, 2 * kSecond).mean_w, 300);
  const TrainingPower none = power_of_samples("0000:5d:00.0", samples, 0, 9 * kSecond);
  EXPECT_FALSE(none.mean_w);
  EXPECT_EQ(none.unavailable, "no sample was taken");
  const std::vector<GpuSampleRow> mute = {sample(2 * kSecond, std::nullopt)};
  EXPECT_EQ(power_of_samples(kDevice, mute, 0, 3 * kSecond).unavailable, "the device does not tell its power");
}

TEST(TrainingPower, OfAnAmdDeviceNamesItsSource) {
  GpuSampleRow row = sample(2 * kSecond, 750);
  row.vendor = gpu_vendor::kAmd;
  EXPECT_EQ(power_of_samples(kDevice, {&row, 1}, 0, 3 * kSecond).source, "board, amdgpu's hwmon");
}

TEST(TrainingEnergy, IsPowerTimesTheTimeOfAStep) {
  const TrainingEnergy energy = training_energy({process_at(300), process_at(500), process_at(400)}, 256);
  EXPECT_DOUBLE_EQ(energy.power_w->value, 400);
  EXPECT_DOUBLE_EQ(energy.joules_per_step->value, 80) << "400 W for 0.2 s";
  EXPECT_DOUBLE_EQ(energy.joules_per_token->value, 80.0 / 256);
  EXPECT_TRUE(energy.joules_per_token->interval) << "of three processes";
  EXPECT_EQ(energy.source, "board, NVML");
  EXPECT_EQ(energy.unavailable, "");
}

TEST(TrainingEnergy, WithoutPowerThereIsAReason) {
  const TrainingEnergy mute = training_energy({process_at(std::nullopt)}, 256);
  EXPECT_FALSE(mute.power_w);
  EXPECT_FALSE(mute.joules_per_step);
  EXPECT_FALSE(mute.joules_per_token);
  EXPECT_EQ(mute.unavailable, "the device does not tell its power");
  TrainingProcess unsampled = process_at(300);
  unsampled.power.reset();
  EXPECT_EQ(training_energy({unsampled}, 256).unavailable, "power was not sampled");
  EXPECT_EQ(training_energy({}, 256).unavailable, "no step was measured");
  EXPECT_FALSE(training_energy({process_at(300)}, 0).joules_per_token);
}

// Documents of versions that did not know of power.
TEST(TrainingEnergy, AProcessWithoutPowerIsRead) {
  Json json = Json(process_at(300));
  EXPECT_EQ(json.at("power").at("mean_w"), 300);
  json.erase("power");
  const auto read = from_json_value<TrainingProcess>(json, "x.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_FALSE(read->power);
}

}  // namespace
}  // namespace aaco
