// SPDX-License-Identifier: MIT
// Every key of a configuration, once: where it stands in the files, where in ShardedRunConfig, what it may be. Files,
// overrides, JSON and help are all made from this list.
#pragma once

#include "kind/sharded/config/sharded_run_config.h"

namespace aaco::sharded {

struct ConfigKey {
  const char* section;  // "training"
  const char* name;     // "max_steps"
  double low = 0;       // of numbers, both ends included
  double high = 0;
  const char* meaning = "";
};

// visit(key, member) in the order of the files.
template <class Config, class Visit>
void for_each_config_key(Config& config, Visit&& visit) {
  visit(ConfigKey{"logging", "level", 0, 0, "DEBUG, INFO, WARNING or ERROR: up to INFO steps are logged"},
        config.logging_level);
  visit(ConfigKey{"training", "epochs", 1, 1000000, "Passes over the data, where max_steps does not end it before"},
        config.training.epochs);
  visit(ConfigKey{"training", "batch_size", 1, 65536, "Sequences of a rank and a micro-step"},
        config.training.batch_size);
  visit(ConfigKey{"training", "gradient_accumulation", 1, 1024, "Micro-steps of a step"},
        config.training.gradient_accumulation);
  visit(ConfigKey{"training", "max_steps", 1, 10000000, "Steps of the optimiser"}, config.training.max_steps);
  visit(ConfigKey{"training", "grad_clip_norm", 0, 1000000, "Largest norm of the whole gradient; 0: no clipping"},
        config.training.grad_clip_norm);
  visit(ConfigKey{"training", "mixed_precision", 0, 0, "fp32, tf32, or bf16 with master weights and optimiser in fp32"},
        config.training.mixed_precision);
  visit(ConfigKey{"training", "log_interval", 1, 10000000, "Steps between two lines of training.output_dir/rankN.log"},
        config.training.log_interval);
  visit(ConfigKey{"training", "output_dir", 0, 0, "Folder of the JSONL files and checkpoints"},
        config.training.output_dir);
  visit(ConfigKey{"training", "inject_allreduce_copies", 0, 0,
                  "All-reduces and blocking copies after each step, as in the public hang reproducer"},
        config.training.inject_allreduce_copies);
  visit(ConfigKey{"training", "allreduce_stress_level", 1, 10, "Cycles of them"},
        config.training.allreduce_stress_level);
  visit(ConfigKey{"training", "unmeasured_steps", 0, 1000000, "First steps, in no figure"},
        config.training.unmeasured_steps);
  visit(ConfigKey{"training", "checkpoint_interval", 0, 10000000, "Steps between two checkpoints; 0: none"},
        config.training.checkpoint_interval);
  visit(ConfigKey{"training", "resume", 0, 0, "Folder of the checkpoint to go on from"}, config.training.resume);
  visit(ConfigKey{"optimizer", "lr", 1e-12, 10, "Rate of AdamW"}, config.optimizer.lr);
  visit(ConfigKey{"optimizer", "weight_decay", 0, 10, ""}, config.optimizer.weight_decay);
  visit(ConfigKey{"optimizer", "betas", 0, 0.9999999, "Of AdamW, two numbers"}, config.optimizer.betas);
  visit(ConfigKey{"optimizer", "eps", 1e-30, 1, ""}, config.optimizer.eps);
  visit(ConfigKey{"scheduler", "warmup_steps", 0, 10000000, "Steps over which the rate grows"},
        config.scheduler.warmup_steps);
  visit(ConfigKey{"scheduler", "total_steps", 0, 10000000, "Step at which it has fallen to 0; 0: it does not fall"},
        config.scheduler.total_steps);
  visit(ConfigKey{"dataset", "num_samples", 1, 1000000000, "Sequences of an epoch"}, config.dataset.num_samples);
  visit(ConfigKey{"dataset", "sequence_length", 2, 65536, ""}, config.dataset.sequence_length);
  visit(ConfigKey{"dataset", "sparse_features", 1, 4096, "Categories of a token"}, config.dataset.sparse_features);
  visit(ConfigKey{"dataset", "seed", 0, 0, "Of data and weights"}, config.dataset.seed);
  visit(ConfigKey{"model", "kind", 0, 0, "ranking (dense and categorical inputs, a score per token), or llama"},
        config.model.kind);
  visit(ConfigKey{"model", "vocab_size", 2, 16777216, ""}, config.model.vocab_size);
  visit(ConfigKey{"model", "embedding_dim", 1, 65536, ""}, config.model.embedding_dim);
  visit(ConfigKey{"model", "num_dense_features", 1, 4096, ""}, config.model.num_dense_features);
  visit(ConfigKey{"model", "dense_dim", 1, 65536, ""}, config.model.dense_dim);
  visit(ConfigKey{"model", "model_dim", 2, 65536, "Columns of the residual path"}, config.model.model_dim);
  visit(ConfigKey{"model", "num_heads", 1, 1024, ""}, config.model.num_heads);
  visit(ConfigKey{"model", "num_kv_heads", 1, 1024, "llama: key heads"}, config.model.num_kv_heads);
  visit(ConfigKey{"model", "num_layers", 1, 1024, ""}, config.model.num_layers);
  visit(ConfigKey{"model", "mlp_hidden_dim", 1, 262144, ""}, config.model.mlp_hidden_dim);
  visit(ConfigKey{"model", "tie_head", 0, 0,
                  "llama: the head is the embedding; else vocab_size x model_dim parameters more"},
        config.model.tie_head);
  visit(ConfigKey{"model", "dropout", 0, 0.99,
                  "ranking: probability that an element is dropped; of attention's weights none is"},
        config.model.dropout);
  visit(ConfigKey{"fsdp", "sharding_strategy", 0, 0, "full_shard, shard_grad_op, hybrid_shard or no_shard"},
        config.fsdp.sharding_strategy);
  visit(
      ConfigKey{"fsdp", "backward_prefetch", 0, 0,
                "Blocks are gathered ahead before a layer's gradients (BACKWARD_PRE), behind them (BACKWARD_POST), or "
                "when they are needed (none)"},
      config.fsdp.backward_prefetch);
  visit(ConfigKey{"fsdp", "forward_prefetch", 0, 0, "Blocks are gathered ahead of the forward pass"},
        config.fsdp.forward_prefetch);
  visit(ConfigKey{"fsdp", "prefetch_depth", 1, 3, "Blocks gathered ahead"}, config.fsdp.prefetch_depth);
  visit(ConfigKey{"fsdp", "limit_all_gathers", 0, 0,
                  "Room for prefetch_depth + 1 blocks; else for all, each gathered as soon as it may be"},
        config.fsdp.limit_all_gathers);
  visit(ConfigKey{"fsdp", "reshard_after_forward", 0, 0, ""}, config.fsdp.reshard_after_forward);
  visit(ConfigKey{"fsdp", "reduce_dtype", 0, 0, "fp32 or bf16: gradients on the link"}, config.fsdp.reduce_dtype);
  visit(ConfigKey{"fsdp", "sync_module_states", 0, 0, "Every rank begins with rank 0's weights"},
        config.fsdp.sync_module_states);
  visit(ConfigKey{"fsdp", "hybrid_shard_ranks", 0, 1024, "Ranks of a shard group; 0: those of a node"},
        config.fsdp.hybrid_shard_ranks);
  visit(ConfigKey{"distributed", "mode", 0, 0, "fsdp or ddp"}, config.distributed.mode);
  visit(ConfigKey{"distributed", "bucket_cap_mb", 0.001, 65536, "ddp: MB of gradients that are reduced together"},
        config.distributed.bucket_cap_mb);
  visit(ConfigKey{"distributed", "one_communicator", 0, 0,
                  "All-gather and reduce-scatter on one, where they wait for each other"},
        config.distributed.one_communicator);
  visit(ConfigKey{"distributed", "timeout", 1, 86400, "Seconds until a collective counts as hung"},
        config.distributed.timeout_s);
  visit(ConfigKey{"distributed", "overlap_grad_reduce", 0, 0, "Gradients are reduced beside the backward pass"},
        config.distributed.overlap_grad_reduce);
  visit(ConfigKey{"distributed", "overlap_param_gather", 0, 0, "Blocks are gathered beside what computes"},
        config.distributed.overlap_param_gather);
  visit(ConfigKey{"distributed", "backend", 0, 0, "auto, nccl, rccl or cpu"}, config.distributed.backend);
  visit(ConfigKey{"distributed", "collectives", 0, 0, "kernel, symmetric or copy_engine"},
        config.distributed.collectives);
  visit(ConfigKey{"distributed", "require_collectives", 0, 0, "Another path than asked for is an error"},
        config.distributed.require_collectives);
  visit(ConfigKey{"distributed", "nonblocking", 0, 0,
                  "No call of the library waits for other ranks without a limit, at the price of a thread each"},
        config.distributed.nonblocking);
  visit(ConfigKey{"distributed", "collective_blocks", 0, 64,
                  "Thread blocks of a collective's kernel at most (CTAs, channels); 0: the library's choice"},
        config.distributed.collective_blocks);
  visit(ConfigKey{"compile", "enabled", 0, 0, "Fused kernels, and the step as captured graphs"},
        config.compile.enabled);
  visit(ConfigKey{"compile", "backend", 0, 0,
                  "inductor (fused kernels), aot_eager or cudagraphs (a captured step of single kernels)"},
        config.compile.backend);
  visit(ConfigKey{"compile", "mode", 0, 0, "default (no graphs), reduce-overhead or max-autotune"},
        config.compile.mode);
  visit(
      ConfigKey{"compile", "capture", 0, 0,
                "auto (the step is a graph where enabled and mode ask for it, and on GPUs wherever it can be), always "
                "or never"},
      config.compile.capture);
  visit(ConfigKey{"compile", "fullgraph", 0, 0, "What cannot be fused or captured is an error"},
        config.compile.fullgraph);
  visit(ConfigKey{"streams", "high_priority", 0, 0, "Any of allgather, reducescatter, allreduce"},
        config.streams.high_priority);
  visit(ConfigKey{"dataloader", "num_workers", 0, 64,
                  "Threads that make batches ahead; 0: each is made between two steps"},
        config.dataloader.num_workers);
  visit(ConfigKey{"dataloader", "pin_memory", 0, 0,
                  "They leave batches where the device takes them from; else a copy between steps is needed"},
        config.dataloader.pin_memory);
  visit(ConfigKey{"profiling", "enabled", 0, 0, "Device records of the active steps"}, config.profiling.enabled);
  visit(ConfigKey{"profiling", "wait", 0, 1000000, "Steps before the recorded ones; three at least, with warmup"},
        config.profiling.wait);
  visit(ConfigKey{"profiling", "warmup", 0, 1000000, "More of them, as the public tool counts them"},
        config.profiling.warmup);
  visit(ConfigKey{"profiling", "active", 1, 1000, "Steps whose records are kept, five at least"},
        config.profiling.active);
  visit(ConfigKey{"profiling", "repeat", 1, 1000, "Rounds"}, config.profiling.repeat);
  visit(ConfigKey{"profiling", "chrome_trace", 0, 0, "A trace file per rank, of the step that the page shows"},
        config.profiling.chrome_trace);
  visit(ConfigKey{"profiling", "trace_filename", 0, 0, "What its name ends in"}, config.profiling.trace_filename);
  visit(ConfigKey{"profiling", "tensorboard", 0, 0,
                  "The same trace as tensorboard/rank_NN.pt.trace.json, for TensorBoard's profiler plugin"},
        config.profiling.tensorboard);
}

}  // namespace aaco::sharded
