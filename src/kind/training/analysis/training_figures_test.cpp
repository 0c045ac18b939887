// SPDX-License-Identifier: MIT
#include "kind/training/analysis/training_figures.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "base/json/json.h"

namespace aaco {
namespace {

// 10 steps in a second, a median step of 90 ms.
TrainingProcess process_of(int64_t process) {
  TrainingProcess one;
  one.process = process;
  one.steps = 10;
  one.wall_ns = 1'000'000'000;
  one.p50_ns = 9e7;
  one.dispatch_p50_ns = 2e6;
  one.peak_bytes = 1000 + process;
  one.library_bytes = 100;
  one.losses.assign(20, 3.0);
  one.losses.front() = 7;
  one.losses[18] = 2;
  one.losses[19] = 1;
  return one;
}

TrainingWork work_of() {
  TrainingWork work;
  work.tokens = 256;
  work.sequences = 4;
  work.model_flops = 3e9;
  work.parts = {{"forward", "products", 3, 8e6, 2e6}, {"backward", "norm", 1, 0, 4e6}};
  return work;
}

TEST(TrainingFigures, AreThoseOfKnownProcesses) {
  const TrainingFigures figures =
      training_figures(work_of(), {process_of(0), process_of(1)}, ProductRoof{1e11, 4096, "fp32"});
  EXPECT_DOUBLE_EQ(figures.step_ns->value, 1e8);
  EXPECT_FALSE(figures.step_ns->interval) << "two processes have no interval";
  EXPECT_DOUBLE_EQ(figures.median_ns->value, 9e7);
  EXPECT_DOUBLE_EQ(figures.dispatch_ns->value, 2e6);
  EXPECT_DOUBLE_EQ(figures.tokens_per_s->value, 2560);
  EXPECT_DOUBLE_EQ(figures.sequences_per_s->value, 40);
  EXPECT_DOUBLE_EQ(figures.model_flops_per_s->value, 3e10);
  EXPECT_DOUBLE_EQ(*figures.mfu, 0.3);
  EXPECT_EQ(figures.mfu_unavailable, "");
  EXPECT_EQ(figures.peak_bytes, 1101);
  EXPECT_EQ(figures.first_loss, 7);
  EXPECT_EQ(figures.last_loss, 1.5) << "the mean of the last tenth, 2 of 20 steps";
  EXPECT_TRUE(figures.same_losses);
}

TEST(TrainingFigures, ThreeProcessesHaveAnInterval) {
  TrainingProcess slower = process_of(2);
  slower.wall_ns = 1'100'000'000;
  const TrainingFigures figures = training_figures(work_of(), {process_of(0), process_of(1), slower}, {});
  ASSERT_TRUE(figures.step_ns->interval);
  EXPECT_DOUBLE_EQ(figures.step_ns->value, 1e8);
  EXPECT_GT(figures.step_ns->interval->high, 1e8);
}

TEST(TrainingFigures, WithoutARoofThereIsNoMfuButAReason) {
  for (const std::optional<ProductRoof>& roof : {std::optional<ProductRoof>(), std::optional(ProductRoof())}) {
    const TrainingFigures figures = training_figures(work_of(), {process_of(0)}, roof);
    EXPECT_FALSE(figures.mfu);
    EXPECT_EQ(figures.mfu_unavailable, "the device's products were not measured");
  }
}

TEST(TrainingFigures, WithoutAStepThereAreNoFigures) {
  TrainingProcess none = process_of(0);
  none.steps = 0;
  none.losses.clear();
  for (const std::vector<TrainingProcess>& processes : {std::vector<TrainingProcess>(), std::vector{none}}) {
    const TrainingFigures figures = training_figures(work_of(), processes, ProductRoof{1e11, 4096, "fp32"});
    EXPECT_FALSE(figures.step_ns);
    EXPECT_FALSE(figures.median_ns);
    EXPECT_FALSE(figures.tokens_per_s);
    EXPECT_FALSE(figures.mfu);
    EXPECT_FALSE(figures.first_loss);
    EXPECT_FALSE(figures.same_losses);
  }
}

TEST(TrainingFigures, LossesThatDifferInOneBitAreNotTheSame) {
  TrainingProcess other = process_of(1);
  other.losses[7] = std::nextafter(other.losses[7], 10);
  EXPECT_FALSE(training_figures(work_of(), {process_of(0), other}, {}).same_losses);
  TrainingProcess interrupted = process_of(1);
  interrupted.losses.resize(5);
  EXPECT_TRUE(training_figures(work_of(), {process_of(0), interrupted}, {}).same_losses);
}

TEST(TrainingFigures, WeightsAreComparedBetweenProcessesOfAsManySteps) {
  TrainingProcess first = process_of(0);
  TrainingProcess other = process_of(1);
  const auto same = [&] { return training_figures(work_of(), {first, other}, {}).same_weights; };
  EXPECT_FALSE(same()) << "they were not read";
  first.weights = other.weights = "0123456789abcdef";
  EXPECT_EQ(same(), true);
  other.weights.back() = 'e';
  EXPECT_EQ(same(), false);
  other.losses.pop_back();
  EXPECT_FALSE(same()) << "another number of steps leaves other weights";
}

TEST(TrainingFigures, PartsHaveTheMedianOfTheirTimesAlone) {
  TrainingProcess first = process_of(0);
  first.parts = {{"forward", "products", 1000}, {"forward", "", 9000}};
  TrainingProcess second = process_of(1);
  second.parts = {{"forward", "products", 3000}, {"backward", "products", 7}};
  const TrainingFigures figures = training_figures(work_of(), {first, second}, {});
  ASSERT_EQ(figures.parts.size(), 2U);
  EXPECT_DOUBLE_EQ(*figures.parts[0].alone_ns, 2000);
  EXPECT_DOUBLE_EQ(*figures.parts[0].flops_per_s, 8e6 / 2e-6);
  EXPECT_DOUBLE_EQ(*figures.parts[0].bytes_per_s, 2e6 / 2e-6);
  EXPECT_FALSE(figures.parts[1].alone_ns) << "nobody timed it";
  EXPECT_FALSE(figures.parts[1].bytes_per_s);
}

// JSON has no NaN: a diverged training's losses come back as such, not as an error.
TEST(TrainingProcess, ALossThatIsNoNumberIsRead) {
  TrainingProcess process = process_of(0);
  process.losses = {7, std::numeric_limits<double>::quiet_NaN()};
  const auto json = parse_json(Json(process).dump(), "x.json");
  ASSERT_TRUE(json);
  const auto read = from_json_value<TrainingProcess>(*json, "x.json");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->losses.size(), 2U);
  EXPECT_EQ(read->losses[0], 7);
  EXPECT_TRUE(std::isnan(read->losses[1]));
  EXPECT_TRUE(training_figures(work_of(), {*read, *read}, {}).same_losses);
}

}  // namespace
}  // namespace aaco
