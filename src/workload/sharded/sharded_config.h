// SPDX-License-Identifier: MIT
// What is trained, and how it is spread over ranks.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "workload/training/llama_config.h"

namespace aaco {

enum class ShardedMode : uint8_t {
  // Parameters, gradients and optimiser are sharded, block by block: gathered before use, gradients reduce-scattered
  // behind it (ZeRO-3; where blocks are not resharded behind the forward pass, ZeRO-2: Rajbhandari et al., SC 2020).
  // Over groups of ranks, each group has a copy of all shards, and gradients are all-reduced between groups too.
  kFullyShard,
  // Every rank has everything; gradients are all-reduced, several blocks together (DDP).
  kReplicate,
};

// The ranking transformer of the seed, beside what it shares with a LLaMA's shape: vocabulary (categories), hidden,
// layers, heads, inner. Dense features and the mean of categories' rows are projected and summed; post-norm encoder
// layers without a mask; a scorer of two layers; binary cross-entropy with weights.
struct RankingShape {
  int64_t embedding = 128;  // columns of a category's row
  int64_t dense = 1024;     // of a token: features times their columns
  int64_t categories = 16;  // of a token
};

// How batches come to where the device takes them from.
struct BatchLoading {
  int32_t workers = 0;  // threads that make batches ahead of their steps; 0: each is made between two steps
  // Workers leave batches where the device takes them from. Else they leave them in other memory, and the thread that
  // enqueues copies them there between two steps, as a driver does with memory that is not pinned.
  bool pinned = true;
};

struct ShardedConfig {
  LlamaConfig llama;  // rank and ranks; sequences of a rank; of a ranking transformer too, fusions and theta aside
  std::optional<RankingShape> ranking;
  double dropout = 0;  // of a ranking transformer: probability that an element is dropped
  ShardedMode mode = ShardedMode::kFullyShard;
  int32_t shard_group = 0;            // ranks over which is sharded, of consecutive numbers; 0: all
  int32_t prefetch = 1;               // blocks gathered ahead of the forward pass
  int32_t backward_prefetch = 1;      // and of the backward pass
  bool gathers_behind_layer = false;  // in the backward pass behind a layer's gradients; else before them
  bool limits_gathers = true;         // else a block is gathered as soon as it may be, and each has its own memory
  bool reshard_after_forward = true;  // gathered again for the backward pass; else kept
  bool overlaps_reduction = true;     // with the backward pass; else all is reduced behind it, and waited for
  Dtype reduce_dtype = Dtype::kF32;   // of gradients on the link, kF32 or kBf16; what is summed up here is fp32
  BatchLoading loading;
  int64_t micro_steps = 1;        // whose gradients are averaged into one; llama.sequences is of each
  double clip_norm = 0;           // of the whole model's gradient; 0: it is not clipped
  int64_t decay_steps = 0;        // the rate falls linearly from the warm-up's end to 0 at this step; 0: it stays
  bool watched = false;           // collectives leave marks in memory that the host sees: ProgressWords
  bool one_communicator = false;  // for gathers and reductions, which are then done one after the other
  int64_t stress_cycles = 0;      // of all-reduces among copies, behind each step; 0: none
  bool stress_waits = true;       // the host waits for their copies to and from it; such a step cannot be a graph
  bool registers_memory = false;  // its memory is of the kind that communicators can register
  int64_t bucket_bytes = int64_t{25} << 20;  // kReplicate: of gradients that are reduced together, at least

  // Ranks that have a part each of what a rank has without sharding: of its group.
  int32_t shard_ranks() const;
  bool shards() const { return shard_ranks() > 1; }
  // There are several groups, each with a copy of all shards.
  bool replicates_shards() const { return shards() && shard_ranks() < llama.ranks; }
  // Whole layers for which there is room, as far as gathers are limited.
  int64_t resident_layers() const;
  // Of micro-step `micro`: its part of the data, and the scale of its gradients.
  LlamaConfig micro_config(int64_t micro) const;
};

inline constexpr double kMostDropout = 0.99;
inline constexpr int32_t kMostPrefetch = 3;
inline constexpr int32_t kMostLoadingWorkers = 64;
inline constexpr int64_t kMostMicroSteps = 64;

// Errors: kUsage naming what cannot be; those of check_llama_config.
Result<void> check_sharded_config(const ShardedConfig& config);

}  // namespace aaco
