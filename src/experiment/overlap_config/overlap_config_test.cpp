// SPDX-License-Identifier: MIT
#include "experiment/overlap_config/overlap_config.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace aaco::overlap {
namespace {

TEST(OverlapConfig, ComesBackFromJson) {
  OverlapConfig config;
  config.training.max_steps.reset();
  config.training.mixed_precision = TrainingPrecision::kTf32;
  config.optimizer.betas = {0.5, 0.75};
  config.fsdp.sharding_strategy = ShardingStrategy::kHybridShard;
  config.streams.high_priority.reduce_scatter = true;
  const Json json = config;
  const OverlapConfig back = json.get<OverlapConfig>();
  EXPECT_EQ(Json(back), json);
  EXPECT_FALSE(back.training.max_steps);
  EXPECT_EQ(back.fsdp.sharding_strategy, ShardingStrategy::kHybridShard);
  EXPECT_TRUE(back.streams.high_priority.reduce_scatter);
  EXPECT_FALSE(back.streams.high_priority.all_gather);
  EXPECT_EQ(json["training"]["mixed_precision"], "tf32");
}

TEST(OverlapConfig, AWrongWordIsAnError) {
  Json json = OverlapConfig{};
  json["distributed"]["mode"] = "pipeline";
  EXPECT_FALSE(from_json_value<OverlapConfig>(json, "plan.json"));
}

TEST(OverlapConfig, GraphsAndFusionFollowBackendAndMode) {
  CompileConfig compile;
  EXPECT_FALSE(compile.is_fused());
  EXPECT_FALSE(compile.is_captured());
  compile.enabled = true;
  EXPECT_TRUE(compile.is_fused());
  EXPECT_TRUE(compile.is_captured());
  compile.mode = CompileMode::kDefault;
  EXPECT_FALSE(compile.is_captured());
  compile.backend = CompileBackend::kCudagraphs;
  EXPECT_FALSE(compile.is_fused());
  EXPECT_TRUE(compile.is_captured());
}

}  // namespace
}  // namespace aaco::overlap
