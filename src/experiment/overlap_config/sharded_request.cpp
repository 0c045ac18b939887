// SPDX-License-Identifier: MIT
#include "experiment/overlap_config/sharded_request.h"

#include <algorithm>
#include <fmt/format.h>

namespace aaco::overlap {

namespace {

constexpr double kMegabyte = 1 << 20;  // as PyTorch counts bucket_cap_mb
constexpr int32_t kFusedVersion = 3;   // of the ladder: all that one step fuses on one stream

Precision precision_of(TrainingPrecision precision) {
  switch (precision) {
    case TrainingPrecision::kFp32:
      return {Dtype::kF32, MathMode::kF32};
    case TrainingPrecision::kTf32:
      return {Dtype::kF32, MathMode::kTf32};
    case TrainingPrecision::kBf16:
      break;
  }
  return {Dtype::kBf16, MathMode::kF32};
}

// A framework that compiles nothing has attention in one kernel all the same.
LlamaFusions fusions_of(const CompileConfig& compile) {
  if (!compile.is_fused()) {
    return LlamaFusions{.attention = true};
  }
  const auto versions = llama_versions();
  const auto found = std::find_if(versions.begin(), versions.end(),
                                  [](const LlamaVersion& version) { return version.number == kFusedVersion; });
  return found->fusions;
}

LlamaShape shape_of(const ModelConfig& model) {
  return {.vocabulary = model.vocab_size,
          .hidden = model.model_dim,
          .layers = model.num_layers,
          .heads = model.num_heads,
          .kv_heads = model.kind == ModelKind::kRanking ? model.num_heads : model.num_kv_heads,
          .inner = model.mlp_hidden_dim};
}

bool is_replicated(const OverlapConfig& config) {
  return config.distributed.mode == ParallelMode::kDdp || config.fsdp.sharding_strategy == ShardingStrategy::kNoShard;
}

// fsdp without sharding reduces block by block, ddp in buckets.
int64_t bucket_bytes_of(const OverlapConfig& config) {
  return config.distributed.mode == ParallelMode::kDdp
             ? std::max<int64_t>(1, static_cast<int64_t>(config.distributed.bucket_cap_mb * kMegabyte))
             : 1;
}

int32_t prefetch_of(const OverlapConfig& config) {
  const bool ahead = config.fsdp.forward_prefetch && config.fsdp.backward_prefetch != BackwardPrefetch::kNone;
  return ahead && config.distributed.overlap_param_gather ? static_cast<int32_t>(config.fsdp.prefetch_depth) : 0;
}

int64_t sequences_of_step(const OverlapConfig& config, int64_t ranks) {
  return config.training.batch_size * config.training.gradient_accumulation * ranks;
}

}  // namespace

Result<int64_t> steps_of(const OverlapConfig& config, int64_t ranks) {
  const int64_t of_epochs = config.training.epochs * (config.dataset.num_samples / sequences_of_step(config, ranks));
  if (of_epochs < 1) {
    return Error{ErrorKind::kUsage,
                 fmt::format("dataset.num_samples {}: a step of {} ranks takes {} sequences",
                             config.dataset.num_samples, ranks, sequences_of_step(config, ranks)),
                 "more samples, or a smaller training.batch_size or training.gradient_accumulation"};
  }
  return std::min(of_epochs, config.training.max_steps.value_or(of_epochs));
}

Result<ShardedConfig> sharded_config_of(const OverlapConfig& config, const RankPlace& place) {
  ShardedConfig sharded;
  LlamaConfig& llama = sharded.llama;
  AACO_ASSIGN(llama.steps, steps_of(config, place.ranks));
  llama.shape = shape_of(config.model);
  llama.fusions = fusions_of(config.compile);
  llama.precision = precision_of(config.training.mixed_precision);
  llama.sequences = config.training.batch_size;
  llama.length = config.dataset.sequence_length;
  llama.batches = std::min(llama.steps, config.dataset.num_samples / sequences_of_step(config, place.ranks));
  llama.warmup_steps = config.scheduler.warmup_steps;
  llama.rate = config.optimizer.lr;
  llama.weight_decay = config.optimizer.weight_decay;
  llama.beta1 = config.optimizer.betas[0];
  llama.beta2 = config.optimizer.betas[1];
  llama.adam_epsilon = config.optimizer.eps;
  llama.seed = config.dataset.seed;
  llama.rank = place.rank;
  llama.ranks = place.ranks;
  sharded.mode = is_replicated(config) ? ShardedMode::kReplicate : ShardedMode::kFullyShard;
  sharded.prefetch = prefetch_of(config);
  sharded.reshard_after_forward =
      config.fsdp.reshard_after_forward && config.fsdp.sharding_strategy != ShardingStrategy::kShardGradOp;
  if (config.model.kind == ModelKind::kRanking) {
    sharded.ranking = RankingShape{.embedding = config.model.embedding_dim,
                                   .dense = config.model.num_dense_features * config.model.dense_dim,
                                   .categories = config.dataset.sparse_features};
  }
  sharded.micro_steps = config.training.gradient_accumulation;
  sharded.clip_norm = config.training.grad_clip_norm;
  sharded.decay_steps = config.scheduler.total_steps;
  sharded.one_communicator = config.distributed.one_communicator;
  sharded.registers_memory = config.distributed.collectives != CollectivePath::kKernel;
  sharded.bucket_bytes = bucket_bytes_of(config);
  AACO_TRY(check_sharded_config(sharded));
  return sharded;
}

DispatchMode dispatch_of(const OverlapConfig& config) {
  return config.compile.is_captured() ? DispatchMode::kGraph : DispatchMode::kSingle;
}

}  // namespace aaco::overlap
