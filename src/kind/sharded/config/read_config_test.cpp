// SPDX-License-Identifier: MIT
#include "kind/sharded/config/read_config.h"

#include <algorithm>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

#include "base/files/file.h"
#include "base/json/json.h"

namespace aaco::sharded {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Result<ConfigReading> read(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return read_sharded_run_config_text(text, "x.yaml", overrides);
}

Error error_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  const auto reading = read(text, overrides);
  EXPECT_FALSE(reading) << text;
  return reading ? Error{} : reading.error();
}

TEST(ReadConfig, NothingIsTheDefaults) {
  const auto reading = read("");
  ASSERT_TRUE(reading);
  EXPECT_EQ(Json(reading->config), Json(ShardedRunConfig{}));
  EXPECT_TRUE(reading->notes.empty());
}

TEST(ReadConfig, EveryKeyIsReadBack) {
  ShardedRunConfig all;
  all.training.max_steps.reset();
  all.training.gradient_accumulation = 4;
  all.optimizer.betas = {0.8, 0.9};
  all.fsdp.sharding_strategy = ShardingStrategy::kHybridShard;
  all.fsdp.hybrid_shard_ranks = 2;
  all.streams.high_priority.all_gather = true;
  all.profiling.chrome_trace = true;
  all.logging_level = "DEBUG";
  const auto reading = read(Json(all).dump());  // JSON is YAML
  ASSERT_TRUE(reading) << reading.error().message;
  EXPECT_EQ(Json(reading->config), Json(all));
}

TEST(ReadConfig, OverridesAreTypedAndTheLastHolds) {
  const auto reading = read("training:\n  max_steps: 7\n",
                            {"training.max_steps=100", "compile.enabled=true", "optimizer.betas=[0.5, 0.75]",
                             "training.max_steps=9", "fsdp.sharding_strategy=shard_grad_op", "model.layers=3"});
  ASSERT_TRUE(reading) << reading.error().message;
  EXPECT_EQ(reading->config.training.max_steps, 9);
  EXPECT_TRUE(reading->config.compile.enabled);
  EXPECT_EQ(reading->config.optimizer.betas[1], 0.75);
  EXPECT_EQ(reading->config.fsdp.sharding_strategy, ShardingStrategy::kShardGradOp);
  EXPECT_EQ(reading->config.model.num_layers, 3);
}

TEST(ReadConfig, RefusalsSayWhereAndWhy) {
  const Error half = error_of("training:\n  mixed_precision: fp16\n");
  EXPECT_EQ(half.kind, ErrorKind::kUsage);
  EXPECT_THAT(half.message, StartsWith("x.yaml:2:3: training.mixed_precision fp16: is refused"));
  EXPECT_THAT(half.message, HasSubstr("loss scaling"));
  EXPECT_THAT(error_of("optimizer:\n  lr: 0.1\n  name: shampoo\n").message,
              StartsWith("x.yaml:3:3: optimizer.name shampoo is refused"));
  const Error heads = error_of("model:\n  model_dim: 8192\n  num_heads: 16\n");
  EXPECT_THAT(heads.message, StartsWith("x.yaml:3:3: a head of 512 columns"));
  EXPECT_THAT(error_of("", {"training.mixed_precision=fp16"}).message,
              StartsWith("--override training.mixed_precision=fp16: "));
  EXPECT_THAT(error_of("model:\n  model_dim: 100\n  num_heads: 12\n").message, HasSubstr("no multiple"));
  EXPECT_THAT(error_of("streams:\n  stream_assignments:\n    compute: [a]\n").message, HasSubstr("is refused"));
  EXPECT_THAT(error_of("torch_titan:\n  checkpointing:\n    async: true\n").message, HasSubstr("torch_titan"));
  EXPECT_THAT(error_of("compile:\n  options: {max_autotune: true}\n").message, HasSubstr("compile.options"));
}

TEST(ReadConfig, AllThatIsWrongIsSaidAtOnce) {
  const Error error = error_of("training:\n  mixed_precision: fp16\nmodel:\n  dropout: 1\n");
  EXPECT_THAT(error.message, HasSubstr("x.yaml:2:3"));
  EXPECT_THAT(error.hint, HasSubstr("x.yaml:4:3: model.dropout 1: not from 0 to 0.99"));
}

TEST(ReadConfig, UnknownKeysNameTheNearest) {
  const Error error = error_of("training:\n  max_step: 5\n");
  EXPECT_THAT(error.message, StartsWith("x.yaml:2:3: there is no key training.max_step"));
  EXPECT_THAT(error.hint, HasSubstr("training.max_steps"));
  EXPECT_THAT(error_of("", {"model.hidden=4"}).message, HasSubstr("there is no key model.hidden"));
  EXPECT_THAT(error_of("fsdpp:\n  forward_prefetch: true\n").hint, HasSubstr("fsdp.forward_prefetch"));
}

TEST(ReadConfig, ValuesHaveTypesAndLimits) {
  EXPECT_THAT(error_of("training:\n  batch_size: big\n").message, HasSubstr("is no whole number"));
  EXPECT_THAT(error_of("training:\n  batch_size: 1.5\n").message, HasSubstr("is no whole number"));
  EXPECT_THAT(error_of("training:\n  batch_size: 0\n").message, HasSubstr("not from 1 to"));
  EXPECT_THAT(error_of("optimizer:\n  lr: .nan\n").message, HasSubstr("not from"));
  EXPECT_THAT(error_of("optimizer:\n  betas: [0.9]\n").message, HasSubstr("two numbers"));
  EXPECT_THAT(error_of("optimizer:\n  betas: [0.9, 1.0]\n").message, HasSubstr("two numbers"));
  EXPECT_THAT(error_of("compile:\n  enabled: maybe\n").message, HasSubstr("true or false"));
  EXPECT_THAT(error_of("fsdp:\n  sharding_strategy: zero\n").hint, HasSubstr("full_shard, shard_grad_op"));
  EXPECT_THAT(error_of("streams:\n  high_priority: [aux]\n").message, HasSubstr("has no stream aux"));
  EXPECT_THAT(error_of("training: 5\n").message, StartsWith("x.yaml:1:11: training must be a section"));
  EXPECT_THAT(error_of("a: [\n").message, StartsWith("x.yaml:"));
  EXPECT_THAT(error_of("training:\n  epochs: 1\n  epochs: 2\n").message, StartsWith("x.yaml:3:3"));
  EXPECT_THAT(error_of("logging:\n  level: LOUD\n").message, HasSubstr("no such level"));
  EXPECT_THAT(error_of("profiling:\n  trace_filename: ../x\n").message, HasSubstr("no name of a file"));
  EXPECT_THAT(error_of("", {"training"}).message, HasSubstr("section.key=value"));
}

TEST(ReadConfig, TwinsMustAgree) {
  EXPECT_TRUE(read("dataset:\n  vocab_size: 60000\n  dense_dim: 128\n"));
  EXPECT_THAT(error_of("dataset:\n  vocab_size: 50000\n").message, HasSubstr("dataset.vocab_size is not 60000"));
  EXPECT_TRUE(read("dataset:\n  vocab_size: 50000\n", {"model.vocab_size=50000"}));
}

TEST(ReadConfig, WhatHasNoEffectIsNoted) {
  const auto reading = read("fsdp:\n  use_orig_params: true\ndistributed:\n  bucket_cap_mb: 8\n");
  ASSERT_TRUE(reading);
  EXPECT_THAT(reading->notes, Contains(StartsWith("fsdp.use_orig_params has no effect")));
  EXPECT_THAT(reading->notes, Contains(HasSubstr("distributed.bucket_cap_mb has no effect: distributed.mode is fsdp")));
}

// The public default.yaml as it is, word for word: one can train from it.
TEST(ReadConfig, TheKeysOfAPublicFile) {
  const std::string text = R"(
logging: {level: INFO}
training: {epochs: 1, batch_size: 8, gradient_accumulation: 1, mixed_precision: bf16, grad_clip_norm: 1.0,
           log_interval: 5, max_steps: 200, output_dir: artifacts}
optimizer: {lr: 0.0003, weight_decay: 0.01, betas: [0.9, 0.98]}
scheduler: {warmup_steps: 100, total_steps: 2000}
dataset: {num_samples: 10000, sequence_length: 64, dense_dim: 128, sparse_features: 32, vocab_size: 60000,
          num_dense_features: 16, seed: 42}
model: {vocab_size: 60000, embedding_dim: 192, num_dense_features: 16, dense_dim: 128, model_dim: 768, num_heads: 12,
        num_layers: 8, dropout: 0.1, mlp_hidden_dim: 2048}
fsdp: {sharding_strategy: full_shard, backward_prefetch: BACKWARD_PRE, use_orig_params: true, limit_all_gathers: true,
       forward_prefetch: true, sync_module_states: true, param_init_device: cpu}
compile: {enabled: false, backend: inductor, mode: max-autotune, fullgraph: false, dynamic: false, options: {}}
dataloader: {num_workers: 4, pin_memory: true}
profiling: {enabled: false, wait: 1, warmup: 1, active: 2, repeat: 1, record_shapes: true, profile_memory: true,
            with_stack: false, with_flops: false, tensorboard: true, chrome_trace: false, trace_filename: trace.json}
)";
  const auto reading = read(text);
  ASSERT_TRUE(reading) << reading.error().message << reading.error().hint;
  ShardedRunConfig expected;  // our own default records, and writes no second trace
  expected.profiling.enabled = false;
  expected.profiling.tensorboard = true;
  EXPECT_EQ(Json(reading->config), Json(expected));
}

TEST(ReadConfig, EachScenarioLoads) {
  const std::filesystem::path folder = std::filesystem::path(AACO_SOURCE_DIR) / "configs" / "overlap";
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    names.push_back(file.path().stem().string());
    const auto reading = read_sharded_run_config(file.path(), {});
    ASSERT_TRUE(reading) << reading.error().message << reading.error().hint;
  }
  for (const char* scenario :
       {"default", "distributed", "distributed_two_nodes", "mi350_overlap_stress", "distributed_multinode",
        "profile_overlap_2gpu", "profile_overlap_short", "reproduce_hang", "reproduce_hang_no_torch_prof",
        "shampoo_opt", "gemm_overlap_comm", "tf32_overlap_eval"}) {
    EXPECT_THAT(names, Contains(scenario));
  }
  EXPECT_EQ(Json(read_sharded_run_config(folder / "default.yaml", {})->config), Json(ShardedRunConfig{}));
}

// Bytes of a file changed, cut and doubled, in an order that is always the same: a configuration, or an error that
// says where.
TEST(ReadConfig, DamagedFilesAreErrorsWithAPlace) {
  const auto file = std::filesystem::path(AACO_SOURCE_DIR) / "configs" / "overlap" / "distributed_multinode.yaml";
  const std::string whole = *read_file(file);
  constexpr std::string_view kBytes = "[]{}:-#&*!|>'\"%@`\n\t \x00\xff,09a";
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    std::string text = whole;
    for (int change = 0; change < 1 + i % 4; ++change) {
      const size_t at = random() % text.size();
      const size_t length = std::min<size_t>(random() % 20, text.size() - at);
      switch (random() % 3) {
        case 0:
          text[at] = kBytes[random() % kBytes.size()];
          break;
        case 1:
          text.erase(at, length);
          break;
        default:
          text.insert(at, text.substr(at, length));
      }
      text += text.empty() ? "a" : "";
    }
    const auto reading = read(text);
    if (!reading) {
      EXPECT_THAT(reading.error().message, StartsWith("x.yaml")) << text;
      EXPECT_FALSE(reading.error().hint.empty());
    }
  }
}

TEST(ReadConfig, HelpHasEveryKey) {
  const Json keys = sharded_run_config_keys();
  const auto has = [&](const char* key) {
    return std::any_of(keys.begin(), keys.end(), [&](const Json& one) { return one["key"] == key; });
  };
  EXPECT_TRUE(has("training.max_steps"));
  EXPECT_TRUE(has("profiling.trace_filename"));
}

}  // namespace
}  // namespace aaco::sharded
