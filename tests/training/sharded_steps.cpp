// SPDX-License-Identifier: MIT
// sharded_steps MODEL: prints, as JSON, a small ranking transformer or LLaMA, what it is trained on, and the losses of
// 50 steps on two ranks; compare_sharded_with_torch.py trains the same with PyTorch's FSDP2.
#include <cstdio>
#include <string_view>

#include "base/json/json.h"
#include "workload/sharded/ranking_buffers.h"
#include "workload/sharded/test_ranks.h"

namespace {

using namespace aaco;

constexpr int64_t kSteps = 50;
constexpr int32_t kRanks = 2;

ShardedConfig small_config(bool ranking) {
  ShardedConfig config;
  config.llama.shape = {.vocabulary = 60, .hidden = 32, .layers = 2, .heads = 4, .kv_heads = 4, .inner = 48};
  if (ranking) {
    config.ranking = RankingShape{.embedding = 12, .dense = 20, .categories = 3};
  }
  config.llama.sequences = 8;
  config.llama.length = 10;
  config.llama.batches = 5;
  config.llama.steps = kSteps;
  config.llama.rate = 3e-3;
  config.llama.weight_decay = 0.1;
  config.clip_norm = 0.5;
  config.loading = {2, true};
  return config;
}

Json floats_of(const Tensor& tensor) {
  return std::vector<float>(tensor.as<float>(), tensor.as<float>() + tensor.elements());
}
Json integers_of(const Tensor& tensor) {
  return std::vector<int32_t>(tensor.as<int32_t>(), tensor.as<int32_t>() + tensor.elements());
}

// Of one rank.
Json batch_of(const ShardedTraining& training, int64_t step) {
  std::vector<std::byte> bytes(static_cast<size_t>(training.source.bytes));
  training.source.make(step, bytes.data());
  if (!training.config.ranking) {
    return {{"tokens", integers_of({bytes.data(), Dtype::kI32, {training.source.bytes / 4}})}};
  }
  const RankingData data = ranking_data_at(training.config, bytes.data(), 0);
  return {{"dense", floats_of(data.dense)},
          {"categories", integers_of(data.categories)},
          {"target", floats_of(data.target)},
          {"weight", floats_of(data.weight)}};
}

Json model_of(const ShardedConfig& config) {
  const LlamaShape& shape = config.llama.shape;
  Json model = {{"vocabulary", shape.vocabulary}, {"hidden", shape.hidden},       {"layers", shape.layers},
                {"heads", shape.heads},           {"inner", shape.inner},         {"epsilon", shape.epsilon},
                {"theta", shape.theta},           {"length", config.llama.length}};
  if (config.ranking) {
    model["embedding"] = config.ranking->embedding;
    model["dense"] = config.ranking->dense;
    model["categories"] = config.ranking->categories;
  }
  return model;
}

Json train(const ShardedConfig& config) {
  Json out;
  out["model"] = model_of(config);
  out["clip_norm"] = config.clip_norm;
  out["adamw"] = {{"lr", config.llama.rate},
                  {"betas", {config.llama.beta1, config.llama.beta2}},
                  {"eps", config.llama.adam_epsilon},
                  {"weight_decay", config.llama.weight_decay}};
  std::vector<Json> batches(kRanks);
  const TrainingOutcome trained = train_on_ranks(config, kRanks, kSteps, [&](ShardedTraining& training) {
    Json& own = batches[static_cast<size_t>(training.config.llama.rank)];
    for (int64_t step = 1; step <= config.llama.batches; ++step) {
      own.push_back(batch_of(training, step));
    }
  });
  out["batches"] = batches;  // by rank, then by step
  out["losses"] = trained.losses;
  out["parameters"] = trained.before;
  out["trained"] = trained.after;
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view model = argc == 2 ? argv[1] : "";
  if (model != "ranking" && model != "llama") {
    std::fputs("sharded_steps ranking|llama\n", stderr);
    return 2;
  }
  const Json out = train(small_config(model == "ranking"));
  if (testing::Test::HasFailure()) {
    return 1;
  }
  std::puts(out.dump().c_str());
  return 0;
}
