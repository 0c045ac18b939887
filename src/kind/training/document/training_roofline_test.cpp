// SPDX-License-Identifier: MIT
#include "kind/training/document/training_roofline.h"

#include <gtest/gtest.h>

#include "base/json/json.h"

namespace aaco {
namespace {

// Roofs of 1 TFLOP/s and 100 GB/s: they meet at 10 FLOP/B. Products of 20 FLOP/B need 1 ms at the roof of products and
// took 2; norms of 0.25 FLOP/B need 0.4 ms for their bytes and took 0.5; copies without FLOPs need 0.1 ms.
TrainingRunDocument run() {
  TrainingRunDocument run;
  run.roof = ProductRoof{1e12, 4096, "fp32"};
  run.memory_roof = MemoryRoof{1e11, "a triad"};
  run.work.parts = {
      {"forward", "products", 3, 1e9, 5e7}, {"forward", "norms", 2, 1e7, 4e7}, {"backward", "residual", 1, 0, 1e7}};
  run.work.modules = {{"forward", "mlp", 5, 1.01e9, 9e7}};
  run.processes.resize(3);
  for (size_t i = 0; i < 3; ++i) {
    TrainingProcess& process = run.processes[i];
    process.steps = 10;
    process.wall_ns = 50'000'000;
    process.p50_ns = 5e6;
  }
  run.processes[0].parts = {
      {"forward", "products", 2e6}, {"forward", "norms", 5e5}, {"forward", "", 2.6e6}, {"backward", "residual", 5e4}};
  run.processes[0].modules = {{"forward", "mlp", 2.5e6}};
  return run;
}

TEST(StepRoofline, SaysWhatBindsEachPart) {
  const StepRoofline roofline = step_roofline(run());
  EXPECT_DOUBLE_EQ(*roofline.ridge, 10);
  ASSERT_EQ(roofline.parts.size(), 3U);
  const RoofedWork& products = roofline.parts[0];
  EXPECT_DOUBLE_EQ(*products.intensity, 20);
  EXPECT_DOUBLE_EQ(*products.flops_per_s, 5e11);
  EXPECT_DOUBLE_EQ(*products.roof_flops_per_s, 1e12);
  EXPECT_DOUBLE_EQ(*products.roof_ns, 1e6);
  EXPECT_DOUBLE_EQ(*products.of_roof, 0.5);
  EXPECT_EQ(products.bound, RoofBound::kCompute);
  const RoofedWork& norms = roofline.parts[1];
  EXPECT_DOUBLE_EQ(*norms.intensity, 0.25);
  EXPECT_DOUBLE_EQ(*norms.roof_flops_per_s, 2.5e10) << "intensity by the roof of memory";
  EXPECT_DOUBLE_EQ(*norms.of_roof, 0.8);
  EXPECT_EQ(norms.bound, RoofBound::kMemory);
  const RoofedWork& copies = roofline.parts[2];
  EXPECT_FALSE(copies.intensity);
  EXPECT_FALSE(copies.roof_flops_per_s);
  EXPECT_DOUBLE_EQ(*copies.of_roof, 2) << "from caches";
  EXPECT_EQ(copies.bound, RoofBound::kMemory);
}

TEST(StepRoofline, HasModulesPhasesAndTheStep) {
  const StepRoofline roofline = step_roofline(run());
  ASSERT_EQ(roofline.modules.size(), 1U);
  EXPECT_DOUBLE_EQ(*roofline.modules[0].flops_per_s, 1.01e9 / 2.5e-3);
  ASSERT_EQ(roofline.phases.size(), 2U);
  EXPECT_EQ(roofline.phases[0].operations, 5);
  EXPECT_DOUBLE_EQ(*roofline.phases[0].alone_ns, 2.6e6);
  EXPECT_FALSE(roofline.phases[1].alone_ns) << "the backward pass was not timed as a whole";
  EXPECT_FALSE(roofline.phases[1].of_roof);
  EXPECT_DOUBLE_EQ(roofline.step.flops, 1.01e9);
  EXPECT_DOUBLE_EQ(*roofline.step.alone_ns, 5e6);
  EXPECT_EQ(roofline.step.bound, RoofBound::kCompute);
}

TEST(StepRoofline, WithoutARoofWhatBindsIsUnknown) {
  TrainingRunDocument one = run();
  one.memory_roof.reset();
  StepRoofline roofline = step_roofline(one);
  EXPECT_FALSE(roofline.ridge);
  EXPECT_EQ(roofline.memory_unavailable, "not measured");
  one.memory_roof_unavailable = "others were busy";
  EXPECT_EQ(step_roofline(one).memory_unavailable, "others were busy");
  for (const RoofedWork& part : roofline.parts) {
    EXPECT_EQ(part.bound, RoofBound::kUnknown);
    EXPECT_FALSE(part.roof_ns);
    EXPECT_FALSE(part.of_roof);
    EXPECT_TRUE(part.bytes_per_s) << "what was achieved is known all the same";
  }
  one = run();
  one.roof.reset();
  roofline = step_roofline(one);
  EXPECT_EQ(roofline.parts[0].bound, RoofBound::kUnknown);
  EXPECT_EQ(roofline.parts[2].bound, RoofBound::kMemory) << "without FLOPs no roof of products is needed";
}

TEST(StepRoofline, IsPartOfTheRunsJson) {
  const Json json = Json(run());
  const Json& roofline = json["roofline"];
  EXPECT_EQ(roofline["parts"][0]["part"], "products");
  EXPECT_EQ(roofline["parts"][0]["bound"], "compute");
  EXPECT_EQ(roofline["modules"][0]["module"], "mlp");
  EXPECT_EQ(roofline["phases"][0]["phase"], "forward");
  EXPECT_TRUE(roofline["phases"][1]["alone_ns"].is_null());
  EXPECT_EQ(roofline["step"]["flops"], 1.01e9);
  EXPECT_EQ(roofline["memory"]["bytes_per_s"], 1e11);
}

}  // namespace
}  // namespace aaco
