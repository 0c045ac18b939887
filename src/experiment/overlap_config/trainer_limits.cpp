// SPDX-License-Identifier: MIT
#include "experiment/overlap_config/trainer_limits.h"

#include <fmt/format.h>

namespace aaco::overlap {

namespace {

struct TrainerLimit {
  const char* key;
  bool (*is_beyond)(const OverlapConfig& config);
  const char* why;
  const char* instead;  // behind --override
};

constexpr bool is_sharded(const OverlapConfig& config) { return config.distributed.mode == ParallelMode::kFsdp; }

constexpr TrainerLimit kLimits[] = {
    {"training.inject_allreduce_copies",
     [](const OverlapConfig& config) { return config.training.inject_allreduce_copies; }, "injection is not built",
     "training.inject_allreduce_copies=false"},
    {"fsdp.sharding_strategy",
     [](const OverlapConfig& config) {
       return is_sharded(config) && config.fsdp.sharding_strategy == ShardingStrategy::kHybridShard;
     },
     "hybrid_shard is not built", "fsdp.sharding_strategy=full_shard"},
    {"fsdp.backward_prefetch",
     [](const OverlapConfig& config) {
       return is_sharded(config) &&
              (config.fsdp.backward_prefetch == BackwardPrefetch::kPost ||
               (config.fsdp.backward_prefetch == BackwardPrefetch::kPre) != config.fsdp.forward_prefetch);
     },
     "blocks are gathered ahead in both passes or in none",
     "fsdp.backward_prefetch=BACKWARD_PRE fsdp.forward_prefetch=true"},
    {"fsdp.limit_all_gathers",
     [](const OverlapConfig& config) { return is_sharded(config) && !config.fsdp.limit_all_gathers; },
     "gathers without a limit are not built", "fsdp.limit_all_gathers=true"},
    {"fsdp.reduce_dtype", [](const OverlapConfig& config) { return config.fsdp.reduce_dtype != ReduceType::kFp32; },
     "gradients are reduced in fp32", "fsdp.reduce_dtype=fp32"},
    {"distributed.overlap_grad_reduce",
     [](const OverlapConfig& config) { return !config.distributed.overlap_grad_reduce; },
     "gradients are always reduced beside the backward pass", "distributed.overlap_grad_reduce=true"},
    {"streams.high_priority",
     [](const OverlapConfig& config) { return !priority_words(config.streams.high_priority).empty(); },
     "priorities of streams are not built", "streams.high_priority=[]"},
};

}  // namespace

std::vector<Error> trainer_limits(const OverlapConfig& config, const ConfigEntries& entries) {
  std::vector<Error> refusals;
  for (const TrainerLimit& limit : kLimits) {
    if (!limit.is_beyond(config)) {
      continue;
    }
    const auto found = entries.find(limit.key);
    const std::string what = fmt::format("{} is refused: {}", limit.key, limit.why);
    const std::string hint = fmt::format("--override {}", limit.instead);
    refusals.push_back(found == entries.end() ? Error{ErrorKind::kUsage, what + " (it is so by default)", hint}
                                              : found->second.error(what, hint));
  }
  return refusals;
}

}  // namespace aaco::overlap
