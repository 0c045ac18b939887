// SPDX-License-Identifier: MIT
#include "workload/sharded/sharded_config.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace aaco {

LlamaConfig ShardedConfig::micro_config(int64_t micro) const {
  LlamaConfig config = llama;
  config.rank = llama.rank * micro_steps + micro;
  config.ranks = llama.ranks * micro_steps;
  return config;
}

int32_t ShardedConfig::shard_ranks() const {
  const auto ranks = static_cast<int32_t>(llama.ranks);
  if (mode == ShardedMode::kReplicate) {
    return 1;
  }
  return shard_group > 0 ? std::min(shard_group, ranks) : ranks;
}

// Behind a layer's gradients its own place is free. Without a limit the backward pass finds all layers gathered.
int64_t ShardedConfig::resident_layers() const {
  const int64_t layers = llama.shape.layers;
  int64_t backward = gathers_behind_layer ? std::max(1, backward_prefetch) : backward_prefetch + 1;
  backward = limits_gathers ? backward : 1;
  return reshard_after_forward ? std::min(layers, std::max<int64_t>(prefetch + 1, backward)) : layers;
}

Result<void> check_sharded_config(const ShardedConfig& config) {
  AACO_TRY(check_llama_config(config.llama));
  if (config.llama.ranks < 1 || config.llama.rank < 0 || config.llama.rank >= config.llama.ranks) {
    return Error{ErrorKind::kUsage, fmt::format("rank {} of {}", config.llama.rank, config.llama.ranks),
                 "ranks count from 0"};
  }
  for (const int32_t prefetch : {config.prefetch, config.backward_prefetch}) {
    if (prefetch < 0 || prefetch > kMostPrefetch) {
      return Error{ErrorKind::kUsage, fmt::format("a prefetch of {} blocks", prefetch),
                   fmt::format("from 0 to {} are possible", kMostPrefetch)};
    }
  }
  if (config.gathers_behind_layer && config.backward_prefetch == 0) {
    return Error{ErrorKind::kUsage, "blocks gathered behind a layer's gradients, and none ahead of the backward pass",
                 "1 block ahead at least: a layer's own gradients need its block"};
  }
  if (config.shard_group < 0 || config.llama.ranks % config.shard_ranks() != 0) {
    return Error{ErrorKind::kUsage,
                 fmt::format("{} ranks in shard groups of {}", config.llama.ranks, config.shard_group),
                 "the ranks of a group must divide those of the training"};
  }
  if (config.reduce_dtype != Dtype::kF32 && config.reduce_dtype != Dtype::kBf16) {
    return Error{ErrorKind::kUsage, fmt::format("gradients reduced in {}", name_of(config.reduce_dtype)),
                 "fp32 and bf16 are possible"};
  }
  if (config.bucket_bytes < 1) {
    return Error{ErrorKind::kUsage, fmt::format("buckets of {} bytes", config.bucket_bytes), "1 byte at least"};
  }
  if (config.micro_steps < 1 || config.micro_steps > kMostMicroSteps) {
    return Error{ErrorKind::kUsage, fmt::format("gradients of {} micro-steps in one", config.micro_steps),
                 fmt::format("from 1 to {} are possible", kMostMicroSteps)};
  }
  if (config.stress_cycles < 0) {
    return Error{ErrorKind::kUsage, fmt::format("{} cycles of all-reduces", config.stress_cycles), "0 or more"};
  }
  if (!(config.clip_norm >= 0) || !std::isfinite(config.clip_norm)) {
    return Error{ErrorKind::kUsage, fmt::format("gradients clipped to a norm of {}", config.clip_norm),
                 "0 clips nothing, else a norm above 0"};
  }
  if (config.decay_steps != 0 && (config.decay_steps <= config.llama.warmup_steps || config.decay_steps > 1 << 24)) {
    return Error{ErrorKind::kUsage,
                 fmt::format("a rate that grows for {} steps and is 0 from step {} on", config.llama.warmup_steps,
                             config.decay_steps),
                 "let it fall for longer than it grows; 0 lets it stay"};
  }
  if (config.ranking &&
      (config.ranking->embedding < 1 || config.ranking->dense < 1 || config.ranking->categories < 1)) {
    return Error{ErrorKind::kUsage,
                 fmt::format("{} columns of an embedding, {} of dense features, {} categories of a token",
                             config.ranking->embedding, config.ranking->dense, config.ranking->categories),
                 "each must be 1 or more"};
  }
  if (config.loading.workers < 0 || config.loading.workers > kMostLoadingWorkers) {
    return Error{ErrorKind::kUsage, fmt::format("{} threads that make batches", config.loading.workers),
                 fmt::format("from 0 to {} are possible", kMostLoadingWorkers)};
  }
  if (!(config.dropout >= 0 && config.dropout <= kMostDropout)) {
    return Error{ErrorKind::kUsage, fmt::format("a dropout of {}", config.dropout),
                 fmt::format("from 0 to {} are possible", kMostDropout)};
  }
  if (config.dropout > 0 && !config.ranking) {
    return Error{ErrorKind::kUsage, "dropout in a model that has none", "only a ranking transformer has dropout"};
  }
  if (config.llama.fusions.beside) {
    return Error{ErrorKind::kUsage, "gradients of weights on a stream beside the backward pass, in a sharded step",
                 "leave the fusion \"beside\" out: collectives are what goes on beside the backward pass"};
  }
  return {};
}

}  // namespace aaco
