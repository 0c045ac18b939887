// SPDX-License-Identifier: MIT
#include "kind/sharded/config/sharded_run_config.h"

#include <gtest/gtest.h>

#include "base/json/json.h"
#include "kind/sharded/config/sharded_request.h"

namespace aaco::sharded {
namespace {

TEST(ShardedRunConfig, ComesBackFromJson) {
  ShardedRunConfig config;
  config.training.max_steps.reset();
  config.training.mixed_precision = TrainingPrecision::kTf32;
  config.optimizer.betas = {0.5, 0.75};
  config.fsdp.sharding_strategy = ShardingStrategy::kHybridShard;
  config.streams.high_priority.reduce_scatter = true;
  const Json json = config;
  const ShardedRunConfig back = json.get<ShardedRunConfig>();
  EXPECT_EQ(Json(back), json);
  EXPECT_FALSE(back.training.max_steps);
  EXPECT_EQ(back.fsdp.sharding_strategy, ShardingStrategy::kHybridShard);
  EXPECT_TRUE(back.streams.high_priority.reduce_scatter);
  EXPECT_FALSE(back.streams.high_priority.all_gather);
  EXPECT_EQ(json["training"]["mixed_precision"], "tf32");
}

TEST(ShardedRunConfig, AWrongWordIsAnError) {
  Json json = ShardedRunConfig{};
  json["distributed"]["mode"] = "pipeline";
  EXPECT_FALSE(from_json_value<ShardedRunConfig>(json, "plan.json"));
}

TEST(ShardedRunConfig, GraphsAndFusionFollowBackendAndMode) {
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
  compile.capture = CaptureChoice::kNever;
  EXPECT_FALSE(compile.is_captured());
  compile = CompileConfig();
  compile.capture = CaptureChoice::kAlways;
  EXPECT_TRUE(compile.is_captured());
}

TEST(ShardedRunConfig, OnGpusAStepIsCapturedWhereItCanBe) {
  const auto dispatch = [](ShardedRunConfig config, const char* device, std::string& note) {
    std::vector<std::string> notes;
    choose_capture(config, {device, device}, notes);
    note = notes.empty() ? "" : notes.front();
    return dispatch_of(config);
  };
  ShardedRunConfig config;
  std::string note;
  EXPECT_EQ(dispatch(config, "cpu:0", note), DispatchMode::kSingle);
  EXPECT_EQ(note, "");
  EXPECT_EQ(dispatch(config, "cuda:0", note), DispatchMode::kGraph);
  EXPECT_NE(note.find("the step is captured"), std::string::npos);
  config.training.inject_allreduce_copies = true;
  EXPECT_EQ(dispatch(config, "hip:0", note), DispatchMode::kSingle);
  EXPECT_NE(note.find("the host waits for the copies"), std::string::npos);
  config.compile.capture = CaptureChoice::kAlways;
  EXPECT_EQ(dispatch(config, "cpu:0", note), DispatchMode::kGraph);
  config = ShardedRunConfig();
  config.compile.capture = CaptureChoice::kNever;
  EXPECT_EQ(dispatch(config, "cuda:0", note), DispatchMode::kSingle);
  config.compile = CompileConfig();
  config.compile.enabled = true;
  EXPECT_EQ(dispatch(config, "cuda:0", note), DispatchMode::kGraph);
  EXPECT_EQ(note, "") << "as it was asked for";
  config.compile.mode = CompileMode::kDefault;
  EXPECT_EQ(dispatch(config, "cuda:0", note), DispatchMode::kSingle);
  EXPECT_NE(note.find("asks for no graphs"), std::string::npos);
}

}  // namespace
}  // namespace aaco::sharded
