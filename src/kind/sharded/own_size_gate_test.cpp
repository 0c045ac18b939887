// SPDX-License-Identifier: MIT
#include "kind/sharded/own_size_gate.h"

#include <cmath>
#include <gtest/gtest.h>

#include "base/json/json.h"

namespace aaco {
namespace {

// A unit of 8 elements, of which `b` begins at 3; two ranks have 4 each.
GradientParts parts_of(int64_t number, std::vector<float> values) {
  return {.named = {{"a", 0, 0, 3}, {"b", 0, 3, 4}},
          .unit_parts = {static_cast<int64_t>(values.size())},
          .part_number = number,
          .values = {std::move(values)}};
}

// The same without padding behind `a`, as a process alone may have it: places are found by name.
const GradientParts kWhole{
    .named = {{"b", 0, 0, 4}, {"a", 0, 4, 3}}, .unit_parts = {7}, .part_number = 0, .values = {{4, 5, 6, 7, 1, 2, 3}}};

TEST(WorstGradient, ComparesARanksPartByName) {
  EXPECT_EQ(worst_gradient(parts_of(0, {1, 2, 3, 4}), kWhole).error, 0);
  EXPECT_EQ(worst_gradient(parts_of(1, {5, 6, 7, 99}), kWhole).error, 0) << "99 is padding";
  const WorstGradient worst = worst_gradient(parts_of(1, {5, 6, 8, 0}), kWhole);
  EXPECT_EQ(worst.name, "b");
  EXPECT_DOUBLE_EQ(worst.error, 1 / std::sqrt(25 + 36 + 49));
}

TEST(WorstGradient, WhatIsNoNumberStays) {
  EXPECT_TRUE(std::isnan(worst_gradient(parts_of(0, {NAN, 2, 3, 4}), kWhole).error));
  EXPECT_TRUE(std::isinf(worst_gradient(parts_of(2, {1, 2, 3, 4}), kWhole).error)) << "nothing in common";
}

OwnSizeResult result(std::optional<double> worst) {
  return {.worst = worst, .where = "layers.0.q", .tolerance = 0.02, .reference = "one process", .kernels = {{"k"}}};
}

TEST(OwnSizeGate, FailsForTheWorstRank) {
  EXPECT_TRUE(own_size_gate(std::vector{result(0.001), result(0.02)}).passed);
  const TrainingGate gate = own_size_gate(std::vector{result(0.03), result(0.001)});
  EXPECT_FALSE(gate.passed);
  EXPECT_EQ(gate.found, "largest relative error 0.03, of layers.0.q on rank 0");
  EXPECT_FALSE(own_size_gate(std::vector{result(0.001), result(std::nullopt)}).passed);
}

TEST(OwnSizeGate, KernelsAreThoseOfAllRanksOrUnknown) {
  std::vector<OwnSizeResult> ranks = {result(0), result(0)};
  ranks[1].kernels = {{"j"}};
  EXPECT_EQ(own_size_gate(ranks).kernels, (std::vector<std::string>{"j", "k"}));
  ranks[0].kernels.reset();
  EXPECT_FALSE(own_size_gate(ranks).kernels);
}

TEST(OwnSizeResult, WhatIsNoNumberComesBackFromJson) {
  EXPECT_FALSE(Json(result(std::nullopt)).get<OwnSizeResult>().worst);
  EXPECT_EQ(Json(result(0.5)).get<OwnSizeResult>().worst, 0.5);
}

TEST(OwnStepConfig, KeepsWhatDecidesWhichKernelsRun) {
  ShardedConfig run;
  run.llama.shape = {.vocabulary = 1000, .hidden = 1024, .layers = 12, .heads = 8, .kv_heads = 4, .inner = 4096};
  run.llama.precision.dtype = Dtype::kBf16;
  run.llama.length = 512;
  run.llama.rank = 1;
  run.llama.ranks = 2;
  run.reduce_dtype = Dtype::kBf16;
  const ShardedConfig own = own_step_config(run, false);
  EXPECT_EQ(own.llama.shape.hidden, 1024);
  EXPECT_EQ(own.llama.shape.head_dim(), 128);
  EXPECT_EQ(own.llama.length, 512);
  EXPECT_EQ(own.llama.sequences, run.llama.sequences);
  EXPECT_EQ(own.llama.precision.dtype, Dtype::kBf16);
  EXPECT_EQ(own.reduce_dtype, Dtype::kBf16);
  EXPECT_EQ(own.llama.rank, 1);
  EXPECT_EQ(own.llama.shape.layers, 2);
  EXPECT_EQ(own_step_config(run, true).llama.length, 160);
}

}  // namespace
}  // namespace aaco
