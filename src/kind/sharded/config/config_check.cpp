// SPDX-License-Identifier: MIT
#include "kind/sharded/config/config_check.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>

namespace aaco::sharded {

namespace {

constexpr int64_t kLargestHead = 256;  // of the attention operation

class Checker {
 public:
  Checker(const ConfigEntries& entries, std::vector<std::string>& notes, std::vector<Error>& refusals)
      : entries_(entries), notes_(notes), refusals_(refusals) {}

  // At the first of the keys that somebody wrote; where none was, one that was written asks for a default's opposite.
  void refuse(const std::vector<const char*>& keys, const std::string& what, const std::string& hint) {
    for (const char* key : keys) {
      if (const auto found = entries_.find(key); found != entries_.end()) {
        refusals_.push_back(found->second.error(what, hint));
        return;
      }
    }
    refusals_.push_back({ErrorKind::kUsage, what, hint});
  }
  void note_given(const std::vector<const char*>& keys, const std::string& why) {
    for (const char* key : keys) {
      if (entries_.contains(key)) {
        notes_.push_back(fmt::format("{} has no effect: {}", key, why));
      }
    }
  }
  bool given(const char* key) const { return entries_.contains(key); }

 private:
  const ConfigEntries& entries_;
  std::vector<std::string>& notes_;
  std::vector<Error>& refusals_;
};

void check_heads(const ModelConfig& model, Checker& checker) {
  if (model.model_dim % model.num_heads != 0) {
    checker.refuse(
        {"model.num_heads", "model.model_dim"},
        fmt::format("model.model_dim {} is no multiple of model.num_heads {}", model.model_dim, model.num_heads),
        "choose a number of heads that divides the model's columns");
    return;
  }
  if (model.head_dim() > kLargestHead || model.head_dim() % 2 != 0) {
    checker.refuse({"model.num_heads", "model.model_dim"},
                   fmt::format("a head of {} columns (model.model_dim {} / model.num_heads {}) is refused: attention "
                               "takes even ones up to {}",
                               model.head_dim(), model.model_dim, model.num_heads, kLargestHead),
                   fmt::format("choose model.num_heads so that a head has at most {} columns", kLargestHead));
  }
  if (model.kind == ModelKind::kLlama && model.num_heads % model.num_kv_heads != 0) {
    checker.refuse({"model.num_kv_heads", "model.num_heads"},
                   fmt::format("{} heads cannot share {} key heads evenly", model.num_heads, model.num_kv_heads),
                   "model.num_heads must be a multiple of model.num_kv_heads");
  }
}

void note_other_modes(const ShardedRunConfig& config, Checker& checker) {
  if (config.distributed.mode == ParallelMode::kDdp) {
    checker.note_given({"fsdp.sharding_strategy", "fsdp.backward_prefetch", "fsdp.forward_prefetch",
                        "fsdp.prefetch_depth", "fsdp.limit_all_gathers", "fsdp.reshard_after_forward",
                        "fsdp.hybrid_shard_ranks", "distributed.overlap_param_gather", "distributed.one_communicator"},
                       "distributed.mode is ddp");
  } else {
    checker.note_given({"distributed.bucket_cap_mb"}, "distributed.mode is fsdp, where a block is a bucket");
    if (config.fsdp.sharding_strategy != ShardingStrategy::kHybridShard) {
      checker.note_given({"fsdp.hybrid_shard_ranks"}, "fsdp.sharding_strategy is not hybrid_shard");
    }
    if (!config.distributed.overlap_param_gather) {
      checker.note_given(
          {"fsdp.backward_prefetch", "fsdp.forward_prefetch", "fsdp.prefetch_depth", "fsdp.limit_all_gathers"},
          "distributed.overlap_param_gather is false");
    } else if (!config.fsdp.limit_all_gathers) {
      checker.note_given({"fsdp.backward_prefetch"},
                         "fsdp.limit_all_gathers is false, and the pass finds its blocks gathered");
    }
  }
  if (config.model.kind == ModelKind::kLlama) {
    checker.note_given({"model.dropout", "model.embedding_dim", "model.num_dense_features", "model.dense_dim",
                        "dataset.sparse_features", "dataset.num_dense_features", "dataset.dense_dim"},
                       "model.kind is llama");
  } else {
    checker.note_given({"model.num_kv_heads", "model.tie_head"}, "model.kind is ranking");
  }
  if (!config.training.inject_allreduce_copies) {
    checker.note_given({"training.allreduce_stress_level"}, "training.inject_allreduce_copies is false");
  }
  if (config.dataloader.num_workers == 0) {
    checker.note_given({"dataloader.pin_memory"},
                       "dataloader.num_workers is 0, so batches are made where they are taken");
  }
  checker.note_given({"fsdp.sync_module_states"}, "every rank makes the same weights from dataset.seed");
  checker.note_given({"compile.fullgraph"}, "what cannot be captured is always an error");
  if (config.logging_level == "WARNING" || config.logging_level == "ERROR") {
    checker.note_given({"training.log_interval"}, "logging.level is above INFO, which steps are logged with");
  }
  if (!config.compile.enabled) {
    checker.note_given({"compile.backend", "compile.mode"}, "compile.enabled is false");
  }
  if (!config.profiling.enabled) {
    checker.note_given({"profiling.wait", "profiling.warmup", "profiling.active", "profiling.repeat",
                        "profiling.chrome_trace", "profiling.trace_filename", "profiling.tensorboard"},
                       "profiling.enabled is false");
  }
}

void check_words(const ShardedRunConfig& config, Checker& checker) {
  constexpr std::array kLevels = {"DEBUG", "INFO", "WARNING", "ERROR"};
  if (std::find(kLevels.begin(), kLevels.end(), config.logging_level) == kLevels.end()) {
    checker.refuse({"logging.level"}, fmt::format("logging.level {}: there is no such level", config.logging_level),
                   "choose DEBUG, INFO, WARNING or ERROR");
  }
  const std::string& name = config.profiling.trace_filename;
  if (name.empty() || name.find('/') != std::string::npos) {
    checker.refuse({"profiling.trace_filename"}, fmt::format("profiling.trace_filename {}: is no name of a file", name),
                   "name it without a folder: training.output_dir is where it goes");
  }
}

void check_sharding(const ShardedRunConfig& config, Checker& checker) {
  const FsdpConfig& fsdp = config.fsdp;
  if (config.distributed.mode == ParallelMode::kFsdp && fsdp.reshard_after_forward &&
      fsdp.sharding_strategy == ShardingStrategy::kShardGradOp && checker.given("fsdp.reshard_after_forward")) {
    checker.refuse({"fsdp.reshard_after_forward"},
                   "fsdp.reshard_after_forward true is refused: shard_grad_op is to keep the gathered blocks",
                   "choose full_shard, or leave the key out");
  }
  if (config.scheduler.total_steps != 0 && config.scheduler.total_steps < config.scheduler.warmup_steps) {
    checker.refuse({"scheduler.total_steps", "scheduler.warmup_steps"},
                   fmt::format("scheduler.total_steps {} is below scheduler.warmup_steps {}",
                               config.scheduler.total_steps, config.scheduler.warmup_steps),
                   "the rate grows for warmup_steps and has fallen to 0 at total_steps");
  }
}

}  // namespace

void check_sharded_run_config(const ShardedRunConfig& config, const ConfigEntries& entries,
                              std::vector<std::string>& notes, std::vector<Error>& refusals) {
  Checker checker(entries, notes, refusals);
  check_heads(config.model, checker);
  check_words(config, checker);
  check_sharding(config, checker);
  note_other_modes(config, checker);
}

}  // namespace aaco::sharded
