// SPDX-License-Identifier: MIT
#include "kind/queue_run/analysis/run_figures.h"

#include <gtest/gtest.h>

#include "base/json/json.h"

namespace aaco {
namespace {

QueueProcess process_of(int64_t iterations, double units) {
  QueueProcess process;
  process.iterations = iterations;
  process.wall_ns = 1'000'000;
  process.units_per_iteration = units;
  if (iterations > 0) {
    process.dispatch_p50_ns = 500;
  }
  return process;
}

QueueWork some_work() {
  QueueWork work;
  work.kernels = 4;
  work.used_streams = 2;
  work.unit = "TFLOP";
  return work;
}

// 10 iterations of 3 units in 1 ms.
TEST(QueueFigures, Rates) {
  const QueueFigures figures = queue_figures(some_work(), {process_of(10, 3)}, {}, true);
  EXPECT_DOUBLE_EQ(figures.units_per_s->value, 30'000);
  EXPECT_DOUBLE_EQ(figures.units_per_s_per_stream->value, 15'000);
  EXPECT_DOUBLE_EQ(figures.operations_per_s->value, 40'000);
  EXPECT_EQ(figures.throughput_unavailable, "");
}

TEST(QueueFigures, SayWhyThereIsNoThroughput) {
  const QueueFigures no_unit = queue_figures(some_work(), {process_of(10, 0)}, {}, true);
  EXPECT_FALSE(no_unit.units_per_s);
  EXPECT_EQ(no_unit.throughput_unavailable, "no unit: an iteration with these parameters makes 0 TFLOP");
  EXPECT_TRUE(no_unit.operations_per_s);
  EXPECT_EQ(queue_figures(some_work(), {process_of(0, 3)}, {}, true).throughput_unavailable,
            "no iteration was measured");
}

TEST(QueueFigures, OfNoIterationNothingIsZero) {
  EXPECT_TRUE(Json(process_of(0, 3))["dispatch_p50_ns"].is_null());
  EXPECT_FALSE(queue_figures(some_work(), {process_of(0, 3)}, {}, true).dispatch_ns);
  EXPECT_EQ(Json(process_of(10, 3))["dispatch_p50_ns"], 500);
}

}  // namespace
}  // namespace aaco
