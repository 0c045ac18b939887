// SPDX-License-Identifier: MIT
#include "kind/sharded/config/sharded_request.h"

#include <algorithm>
#include <fmt/format.h>

namespace aaco::sharded {

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
          .inner = model.mlp_hidden_dim,
          .tie_head = model.tie_head};
}

bool is_replicated(const ShardedRunConfig& config) {
  return config.distributed.mode == ParallelMode::kDdp || config.fsdp.sharding_strategy == ShardingStrategy::kNoShard;
}

bool is_hybrid(const ShardedRunConfig& config) {
  return config.distributed.mode == ParallelMode::kFsdp &&
         config.fsdp.sharding_strategy == ShardingStrategy::kHybridShard;
}

// 0: all ranks. Where nothing says how many, those of a node.
int32_t shard_group_of(const ShardedRunConfig& config, const RankPlace& place) {
  if (!is_hybrid(config)) {
    return 0;
  }
  const auto asked_for = static_cast<int32_t>(config.fsdp.hybrid_shard_ranks);
  return asked_for > 0 ? asked_for : place.local_ranks;
}

// fsdp without sharding reduces block by block, ddp in buckets.
int64_t bucket_bytes_of(const ShardedRunConfig& config) {
  return config.distributed.mode == ParallelMode::kDdp
             ? std::max<int64_t>(1, static_cast<int64_t>(config.distributed.bucket_cap_mb * kMegabyte))
             : 1;
}

// When blocks are gathered. Not beside what computes: each when it is needed, which is a limit too.
void set_gathers(const ShardedRunConfig& config, ShardedConfig& sharded) {
  const FsdpConfig& fsdp = config.fsdp;
  const bool beside = config.distributed.overlap_param_gather;
  const auto depth = static_cast<int32_t>(fsdp.prefetch_depth);
  sharded.prefetch = beside && fsdp.forward_prefetch ? depth : 0;
  sharded.backward_prefetch = beside && fsdp.backward_prefetch != BackwardPrefetch::kNone ? depth : 0;
  sharded.gathers_behind_layer = beside && fsdp.backward_prefetch == BackwardPrefetch::kPost;
  sharded.limits_gathers = fsdp.limit_all_gathers || !beside;
  sharded.reshard_after_forward =
      fsdp.reshard_after_forward && fsdp.sharding_strategy != ShardingStrategy::kShardGradOp;
}

int64_t sequences_of_step(const ShardedRunConfig& config, int64_t ranks) {
  return config.training.batch_size * config.training.gradient_accumulation * ranks;
}

}  // namespace

Result<int64_t> steps_of(const ShardedRunConfig& config, int64_t ranks) {
  const int64_t of_epochs = config.training.epochs * (config.dataset.num_samples / sequences_of_step(config, ranks));
  if (of_epochs < 1) {
    return Error{ErrorKind::kUsage,
                 fmt::format("dataset.num_samples {}: a step of {} ranks takes {} sequences",
                             config.dataset.num_samples, ranks, sequences_of_step(config, ranks)),
                 "more samples, or a smaller training.batch_size or training.gradient_accumulation"};
  }
  return std::min(of_epochs, config.training.max_steps.value_or(of_epochs));
}

Result<ShardedConfig> sharded_config_of(const ShardedRunConfig& config, const RankPlace& place) {
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
  sharded.shard_group = shard_group_of(config, place);
  set_gathers(config, sharded);
  sharded.overlaps_reduction = config.distributed.overlap_grad_reduce;
  sharded.reduce_dtype = config.fsdp.reduce_dtype == ReduceType::kBf16 ? Dtype::kBf16 : Dtype::kF32;
  if (config.model.kind == ModelKind::kRanking) {
    sharded.ranking = RankingShape{.embedding = config.model.embedding_dim,
                                   .dense = config.model.num_dense_features * config.model.dense_dim,
                                   .categories = config.dataset.sparse_features};
    sharded.dropout = config.model.dropout;
  }
  sharded.loading = {static_cast<int32_t>(config.dataloader.num_workers), config.dataloader.pin_memory};
  sharded.micro_steps = config.training.gradient_accumulation;
  sharded.clip_norm = config.training.grad_clip_norm;
  sharded.decay_steps = config.scheduler.total_steps;
  sharded.stress_cycles = config.training.inject_allreduce_copies ? config.training.allreduce_stress_level : 0;
  sharded.stress_waits = dispatch_of(config) != DispatchMode::kGraph;
  sharded.one_communicator = config.distributed.one_communicator;
  sharded.registers_memory = config.distributed.collectives != CollectivePath::kKernel;
  sharded.bucket_bytes = bucket_bytes_of(config);
  AACO_TRY(check_sharded_config(sharded));
  return sharded;
}

std::string mode_text(const ShardedRunConfig& config, const ShardedConfig& sharded) {
  if (config.distributed.mode == ParallelMode::kDdp) {
    return word_of(config.distributed.mode);
  }
  std::string text = fmt::format("fsdp, {}", word_of(config.fsdp.sharding_strategy));
  if (is_hybrid(config) && sharded.llama.ranks > 1) {
    text += fmt::format(" over {} of {} ranks", sharded.shard_ranks(), sharded.llama.ranks);
  }
  return text;
}

std::vector<std::string> sharding_notes(const ShardedRunConfig& config, const ShardedConfig& sharded) {
  std::vector<std::string> notes;
  if (is_hybrid(config) && sharded.shard_ranks() == sharded.llama.ranks && sharded.llama.ranks > 1) {
    notes.push_back(fmt::format("fsdp.sharding_strategy hybrid_shard is full_shard here: one group has all {} ranks",
                                sharded.llama.ranks));
  }
  return notes;
}

void choose_capture(ShardedRunConfig& config, const std::vector<std::string>& devices,
                    std::vector<std::string>& notes) {
  CompileConfig& compile = config.compile;
  const bool on_gpus =
      std::none_of(devices.begin(), devices.end(), [](const std::string& device) { return device.starts_with("cpu"); });
  if (compile.capture != CaptureChoice::kAuto || compile.asks_for_graphs() || !on_gpus) {
    return;
  }
  if (compile.enabled) {
    notes.emplace_back("the step is not captured: compile.mode default asks for no graphs (compile.capture=always)");
  } else if (config.training.inject_allreduce_copies) {
    notes.emplace_back("the step is not captured: the host waits for the copies of training.inject_allreduce_copies");
  } else {
    compile.capture = CaptureChoice::kAlways;
    notes.emplace_back(
        "the step is captured as a graph, as it can be on these devices (compile.capture=never: it is not)");
  }
}

DispatchMode dispatch_of(const ShardedRunConfig& config) {
  return config.compile.is_captured() ? DispatchMode::kGraph : DispatchMode::kSingle;
}

}  // namespace aaco::sharded
